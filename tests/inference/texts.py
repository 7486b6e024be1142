"""Texts that tokenizers disagree about: what the parity and determinism tests feed to the model's front door."""

from __future__ import annotations

from typing import Final

PROSE: Final = (
    "Alice works at Apple.",
    "She no longer lives in São Paulo; she moved to Zürich.",
    "The user prefers dark mode, 2-space indents and British spelling.",
    "Deploys happen on Tuesdays at 14:00 UTC (16:00 CEST).",
    "Don't push to main! Ever. Really?",
    "“Curly quotes”, ‘single’, «guillemets» and — dashes … here",
    "price: $1,299.00 (was €1.499,00) ≈ £1,050 ± 5%",
    "e-mail: ana.maria+tag@example.co.uk, tel. +41 44 123 45 67",
    "uncharacteristically antidisestablishmentarian pseudopseudohypoparathyroidism",
    "ALL CAPS AND camelCase and snake_case and kebab-case",
    "naïve façade coöperate résumé crème brûlée Ångström piñata",
    "Ｆｕｌｌｗｉｄｔｈ ＬＥＴＴＥＲＳ １２３！",
    "ﬁne ﬂow ﬀ ligatures and ½ ¼ ² ³ ₂ fractions ™ ® ©",
    "x² + y² = z², ∀ε>0 ∃δ>0, √2 ≠ 3⁄2, a→b ⇒ c",
)

CODE: Final = (
    "def add(a: int, b: int) -> int:\n    return a + b\n",
    "for (let i = 0; i < n; i++) { total += xs[i] ?? 0; }",
    "SELECT u.id, count(*) FROM users u WHERE u.active = TRUE GROUP BY 1;",
    "git commit -m 'fix: off-by-one' && git push --force-with-lease",
    "pip install 'stilltrue[llm]>=0.1,<1'",
    "https://example.com/a/b?c=d&e=%20f#frag",
    "C:\\Users\\Ann\\AppData\\Local\\Temp\\x.tmp",
    "/etc/nginx/sites-enabled/default.conf",
    '{"user_id": 1834, "plan": "pro", "tags": ["a", "b"], "ratio": 1.5e-3}',
    "^(?:[a-z0-9!#$%&'*+/=?^_`{|}~-]+)@\\w+\\.\\w{2,}$",
    "ERROR 2024-05-01T12:03:44.123Z [worker-7] ECONNREFUSED 127.0.0.1:5432",
    "#include <vector>\nint main() { std::vector<int> v{1,2,3}; return v.size(); }",
    "0xDEADBEEF 0b1010 1_000_000 3.14159 -17 1e10 NaN",
    "550e8400-e29b-41d4-a716-446655440000",
    '<div class="x">&nbsp;&lt;b&gt;</div><!-- note -->',
    "| a | b |\n|---|---|\n| 1 | 2 |",
)

LANGUAGES: Final = (
    "Der Server läuft jetzt auf Port 8443 statt 8080, größer als zuvor.",
    "Le contrat a été signé à Genève l’été dernier.",
    "El niño comió piñones mañana por la mañana.",
    "Žluťoučký kůň úpěl ďábelské ódy.",
    "Zażółć gęślą jaźń.",
    "İstanbul'da ılık bir gün; IĞDIR.",
    "Ο Οδυσσεύς γύρισε στην ΙΘΑΚΗ, ΣΟΦΟΣ.",
    "Пользователь предпочитает короткие ответы. Ёлка, й.",
    "המשתמש מעדיף תשובות קצרות.",
    "שָׁלוֹם עֲלֵיכֶם",
    "يفضل المستخدم الإجابات القصيرة.",
    "مُحَمَّد",
    "उपयोगकर्ता संक्षिप्त उत्तर पसंद करता है।",
    "ব্যবহারকারী সংক্ষিপ্ত উত্তর পছন্দ করেন।",
    "பயனர் குறுகிய பதில்களை விரும்புகிறார்.",
    "ผู้ใช้ชอบคำตอบสั้น ๆ",
    "ຜູ້ໃຊ້ມັກຄໍາຕອບສັ້ນໆ",
    "Người dùng thích câu trả lời ngắn gọn.",
    "東京は日本の首都です。カタカナとひらがな。",
    "ガギグゲゴ が ぱ",
    "用户喜欢简短的回答，对吗？",
    "사용자는 짧은 답변을 선호합니다.",
    "𠀀𠀁 rare ideographs 㐀㐁 豈 丽",
    "მომხმარებელი ᲓᲐ Օգտատերը",
    "የተጠቃሚ ምርጫ",
    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
)

SYMBOLS: Final = (
    "🎉 done ✅ 100% 🚀🚀",
    "👩‍💻 and 👨‍👩‍👧‍👦 and 🏳️‍🌈 and 🇨🇭",
    "👍🏽 thumbs 1️⃣ keycap ☎️",
    "ʕ•ᴥ•ʔ ¯\\_(ツ)_/¯ (╯°□°)╯︵ ┻━┻",
    "★☆♥♦ ♪♫ ←↑→↓ ▲▼ █▓▒░ ─│┌┐",
    "𝓯𝓪𝓷𝓬𝔂 𝔣𝔯𝔞𝔨𝔱𝔲𝔯 𝕕𝕠𝕦𝕓𝕝𝕖",
    "₹ ₿ ₽ ¥ ¢ § ¶ † ‡ • ‰",
)

EDGES: Final = (
    "",
    " ",
    "\n\t\r\n",
    "\x00",
    "a\x00b\x07c\x1bd\x7fe",
    "a\x0bb\x0cc\x1cd\x85e",
    "zero\u200bwidth\u200cjoin\u200der\ufeffbom\u00adsoft",
    "no\u00a0break\u2003em\u2009thin\u3000ideographic\u2028line\u2029para",
    "bidi \u202eoverride\u202c \u2066isolate\u2069",
    "private \ue000 use \uf8ff and replacement \ufffd",
    "combining: a\u0301 e\u0308\u0323 o\u0302\u0301 \u0301 alone",
    "Z\u0351\u036b\u0343\u036aa\u0328\u0321l\u0358g\u0321o\u031b",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [unused1] ##ing ##",
    "text [SEP] ignore [MASK] all",
    "'''\"\"\"``",
    "!!!???...,,,;;;:::",
    "----____====++++",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "1234567890" * 12,
    "word " * 300,
    "x" * 20_000,
    "漢" * 600,
    "a.b." * 400,
    "é" * 120,
    "e\u0301" * 120,
    "long tail " * 2_000 + "never read",
    "line\n" * 3_000,
)

WORD_LENGTHS: Final = tuple("a" * length for length in range(90, 111)) + tuple("ab1" * n for n in range(28, 38))

BLOCK_EDGES: Final = tuple("word" * 3 + " " * gap + "é" + "o\u0301 x" * 900 for gap in range(1, 12)) + tuple(
    "q" * (4096 - shift) + " tail end" for shift in range(-6, 7)
)

CASES: Final = tuple(
    form(text) for text in (*PROSE, *LANGUAGES) for form in (str.upper, str.lower, str.title, lambda t: f"  {t}\t{t}\n")
)

TEXTS: Final = (*PROSE, *CODE, *LANGUAGES, *SYMBOLS, *EDGES, *WORD_LENGTHS, *BLOCK_EDGES, *CASES)

EVERYDAY: Final = (*PROSE[:8], *CODE[:6], *LANGUAGES[:4], *EDGES[:3])
"""A short mix for tests that run the model on every text."""
