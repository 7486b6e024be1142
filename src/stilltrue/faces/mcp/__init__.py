"""How does an agent speak to a memory? Over the Model Context Protocol: tools, resources and prompts.

`server` puts them together and `serving` carries them over standard input or HTTP; `tools`, `resources` and `prompts`
say what there is, `calls` does it by one verb of `Memory` each, `arguments` is the form of what is taken. One server
speaks for one space, and nothing that is sent to it leads out of that space. The package `mcp` is loaded by whoever
imports these modules, not by this one.
"""
