"""Explore: the bank searched and narrowed, the map of topics, rounds over a part of it.

Everything here reads what may be seen before an answer, and nothing else.
"""

from quizsvc.practice.explore.listing import (
    ORDERS,
    STANDINGS,
    Found,
    Listed,
    Order,
    Place,
    Standing,
    Wanted,
    everything,
    place,
    related,
    search,
    tags,
)
from quizsvc.practice.explore.rounds import in_round
from quizsvc.practice.explore.topics import Cell, TopicMap, at_interview, topic_map

__all__ = [
    "ORDERS",
    "STANDINGS",
    "Cell",
    "Found",
    "Listed",
    "Order",
    "Place",
    "Standing",
    "TopicMap",
    "Wanted",
    "at_interview",
    "everything",
    "in_round",
    "place",
    "related",
    "search",
    "tags",
    "topic_map",
]
