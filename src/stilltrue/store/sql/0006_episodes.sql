-- What became of a text that an import brings again: its decisions are found without reading all.
CREATE INDEX decisions_by_episode ON decisions (space_id, episode_id);
