"""A candidate's own review log in and out of files."""

from quizsvc.practice.exchange.importing import (
    MAX_FILE,
    Import,
    Unknown,
    export_reviews,
    import_reviews,
)

__all__ = ["MAX_FILE", "Import", "Unknown", "export_reviews", "import_reviews"]
