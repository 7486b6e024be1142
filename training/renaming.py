"""What stays true of a pair when its people are called otherwise?

Answer: everything, as long as each is called the same in both statements. ``renamed`` gives the first names of a row
other ones, and now and then calls the user by a name or leaves out the full stops. So the network cannot know a
set by the name in it, and has to compare. Left to others: which rows are treated so (``training.mixture``).
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Final

from training.pairs import Pair

_FIRST_NAMES: Final = """
Abdul Abebe Abena Achieng Adaeze Adebayo Adwoa Agnieszka Ahmed Ahmet Aiko Aisling Akosua Aleksandra Aleksi
Amadou Amara Amari Amina Amir Amit Amma Amparo Anders Anjali Anneke Anneli Anneliese Anouk Anselm Anton
Anwar Aoife Arjun Aroha Aslaug Aurelio Ayanda Ayoub Ayumi Babajide Baraka Bartek Bastian Bautista Beatrix
Beatriz Bence Bernard Bettina Bilal Birgit Bogdan Bohdan Bongani Bram Bronwyn Bruna Bruno Bérénice Callum
Camille Carlos Carmela Casimir Casper Cassia Celeste Chiamaka Chiara Chidi Chipo Chloé Chukwuemeka Ciarán
Cillian Clive Colette Constantin Cosima Dagny Daniela Danil Danilo Daniyar Dario Darius Dariusz Declan
Delphine Deniz Devika Diego Dimitra Dmitri Domenico Doreen Dorji Duarte Dunja Ebba Edie Eilidh Eino Elif
Elio Emeka Emre Erik Esperanza Eszter Ettore Farah Farid Farida Farooq Farouk Farrukh Fatima Fatou Fatoumata
Femi Femke Ferelith Fergus Ferhat Fernanda Fionnuala Folake Folasade Folke Freya Fumiko Gareth Ginevra
Giorgi Giulia Goran Graciela Graham Greta Gudrun Gulnara Gustav Gustavo Gwen Halima Halvard Hamid Hamza Hana
Hans Harriet Haruka Haruto Hedvig Hedy Helga Henrik Henrike Hina Hinemoa Hiroshi Hugo Hussein Håkon Ibrahim
Idris Ifeoma Ikaika Ikram Ilona Ilse Imani Ines Ingeborg Ingrid Ioana Isak Ishaan Ismael Isolde Ivan Iván
Jacinta Jamal Jannik Jarek Jarno Jelena Joaquim Joaquín Jomo Jonah Jonas Jorge Josiah João Juanita Jörg
Jürgen Kaito Kalinda Karin Karthik Katarzyna Katya Kaveh Kavya Kenji Kerem Kiran Kirsi Klára Kofi Kostas
Kwabena Kwame Lars Leif Leila Leilani Lena Leocadia Leonard Leopold Liesel Lila Lindiwe Lindqvist Linh
Linnea Lola Lorcan Loredana Lorenzo Lovisa Lubomir Luca Lucinda Lucía Ludmila Ludo Ludovic Lukas Lupe Lwazi
Magdalena Magnus Mahmoud Malik Malin Marek Maren Marguerite Marijke Marisol Marko Marlon Marta Mateja Mateo
Mateus Matteo Matthias Mattias Maëlle Mbali Meera Mehdi Mehwish Meryem Mikael Mikko Minh Mireille Mirela
Mirembe Mohammed Morag Mustafa Nadezhda Nadia Nadège Naledi Nasrin Ngozi Nikhil Nikolai Nikos Nils Nkechi
Nkosana Noah Noelia Nomsa Nomvula Noor Noémie Nuno Néstor Obinna Oddny Odette Odhiambo Okoro Oksana Oleg
Olena Olga Ollie Olumide Oluwaseun Omar Oren Oriol Osagie Oskar Otieno Ottilie Ottoline Oyelaran Paavo Padma
Paloma Parisa Paulo Pavel Pekka Perpetua Petra Petronella Piotr Pooja Priscila Priya Priyanka Rafa Rafael
Rafiq Rahel Rajesh Ramón Rashid Rashida Rasmus Ravi Ravindra Renske Renzo Reza Rhys Rocío Rodrigo Roksana
Rosa Rosalba Rosalie Rosalind Roshni Ruben Rufus Rukmini Ruslan Sabine Salma Sami Samira Sana Sanna Sanne
Santiago Saoirse Segun Selam Selin Selma Shanelle Shirin Sibusiso Sigrid Silvestre Sindre Siobhan Sione
Siosaia Sipho Siti Sjoerd Sofie Sofía Solveig Solène Stelios Stellan Sunita Sunniva Suresh Sven Svetlana
Tadashi Tadeo Tadeusz Tadhg Takeshi Takumi Tamar Tanvi Tariq Tariro Tendai Tenzin Teodor Teodora Tessa
Tevita Thabo Thandeka Thandi Thandiwe Theo Theodora Thiago Thuy Théo Timo Tiwa Tjaard Tomasz Tomek Tomi
Torbjörn Torvald Tove Tunde Tuomas Tuuli Tuva Ulla Ulrich Valentina Vanja Vasile Vera Vikram Viktor Vuyo
Wanjiru Wendell Wilhelm Wilhelmina Winnie Winston Wiremu Wojtek Ximena Xiomara Xochitl Yael Yannick Yasmin
Yetunde Yevgenia Yewande Yiannis Yosef Youssef Yuki Yusra Yusuf Zainab Zanele Zawadi Zeynep Zofia Zsolt
Zsófia Zuri Zuzana
"""
NAMES: Final = _FIRST_NAMES.split()
"""First names only: surnames, places and firms stay, for what a statement says may hang on them."""

_NAME: Final = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")
_USER: Final = re.compile(r"\b(?:The user|User)\b")
_SPEAKER: Final = re.compile(r"\b(?:I|I'm|I've|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Oo]ur)\b")
NAMED_USER, NO_STOP = 0.3, 0.2
"""How often, of the rows treated, the user gets a name, and both statements lose their full stops."""


def renamed(row: Pair, rng: random.Random) -> Pair:
    """The row with other first names: the same one for the same person, two for two."""
    found = sorted({name for text in (row.old, row.new) for name in _NAME.findall(text)})
    given = dict(zip(found, rng.sample(NAMES, len(found)), strict=True))
    old, new = (_NAME.sub(lambda match: given[match[0]], text) for text in (row.old, row.new))
    if rng.random() < NAMED_USER and _nameable(old, new):
        name = rng.choice([name for name in NAMES if name not in given.values()])
        old, new = (_USER.sub(name, text) for text in (old, new))
    if rng.random() < NO_STOP and not old.endswith(("etc.", "..")):
        old, new = old.removesuffix("."), new.removesuffix(".")
    return replace(row, old=old, new=new)


def _nameable(old: str, new: str) -> bool:
    """Whether both speak of the user by that word: where one says "I", a name would make two people of one."""
    return all(_USER.search(text) and not _SPEAKER.search(text) for text in (old, new))
