"""The content format: a question is a Markdown file with YAML front matter, and its
translation the file beside it. Packs lie in the folders next to these modules.
"""

from question_bank.content.errors import ContentError, InvalidContent
from question_bank.content.frontmatter import Place
from question_bank.content.items import (
    ESTIMATE,
    LANGUAGES,
    LEVELS,
    SOURCE,
    TOPICS,
    TYPES,
    ChoiceItem,
    ChoiceText,
    EstimateItem,
    EvidenceItem,
    FigureItem,
    FollowUpText,
    KeyPointText,
    Lang,
    PitfallText,
    QuestionItem,
    ReferenceText,
    Texts,
    Unit,
)
from question_bank.content.pack import TITLE_FILE, PackItem, read_pack
from question_bank.content.parse import (
    Located,
    Translation,
    parse_question,
    parse_translation,
)
from question_bank.content.render import (
    content_hash,
    render_files,
    render_pack,
    render_question,
    render_translation,
)

__all__ = [
    "ESTIMATE",
    "LANGUAGES",
    "LEVELS",
    "SOURCE",
    "TITLE_FILE",
    "TOPICS",
    "TYPES",
    "ChoiceItem",
    "ChoiceText",
    "ContentError",
    "EstimateItem",
    "EvidenceItem",
    "FigureItem",
    "FollowUpText",
    "InvalidContent",
    "KeyPointText",
    "Lang",
    "Located",
    "PackItem",
    "PitfallText",
    "Place",
    "QuestionItem",
    "ReferenceText",
    "Texts",
    "Translation",
    "Unit",
    "content_hash",
    "parse_question",
    "parse_translation",
    "read_pack",
    "render_files",
    "render_pack",
    "render_question",
    "render_translation",
]
