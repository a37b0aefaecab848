"""Counting what moves: cases by hand, the block itself as oracle, one run in small."""

import pytest
import torch

from sim.experiments.norm_placement.fusion_and_speed import CLAIMS
from sim.nets import blocks
from sim.nets.operators import traffic
from sim.nets.operators.fusion import Chain, projections
from sim.nets.operators.traffic import BRANCH, Kernel, Machine
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]
SMALL = {"width": 16, "rows": 64}


def double(read, write, name="double"):
    return Kernel(name=name, reads=(read,), writes=(write,), compute=lambda x: (2 * x,))


@pytest.fixture(scope="module")
def small():
    return execute("fusion_and_speed", SMALL, SEEDS)


@pytest.mark.parametrize("tile", [1, 3, 7, 100])
def test_a_machine_counts_every_number_once_however_it_is_tiled(tile):
    x = torch.arange(28.0).view(2, 7, 2)
    machine = Machine(memory={"x": x}, tile=tile)
    machine.run(double("x", "y"))
    assert torch.equal(machine.memory["y"], 2 * x)
    assert machine.loaded == {"x": 28, "double": 0}
    assert machine.stored == {"y": 28}
    assert machine.moved == 56


def test_what_a_kernel_holds_is_loaded_once():
    held = torch.ones(2, 1, 2)
    machine = Machine(memory={"x": torch.ones(2, 7, 2)}, tile=1)
    machine.run(
        Kernel(
            name="gain",
            reads=("x",),
            writes=("y",),
            compute=lambda x, gain: (x * gain,),
            holds=(held,),
        )
    )
    assert machine.loaded == {"x": 28, "gain": 4}


@pytest.mark.parametrize(("live", "moved"), [(("z",), 2), (("y", "z"), 3), ((), 1)])
def test_a_fused_kernel_stores_only_what_is_live(live, moved):
    fused = traffic.fuse([double("x", "y"), double("y", "z")], live)
    machine = Machine(memory={"x": torch.ones(1, 4, 1)}, tile=4)
    if live:
        machine.run(fused)
        assert machine.moved == 4 * moved
        assert torch.equal(machine.memory["z"], torch.full((1, 4, 1), 4.0))
    else:
        assert fused.writes == []


def test_a_program_has_its_kernels_in_the_order_of_the_block():
    rule = blocks.Rule(before=True, after=True, outer=True)
    kernels = traffic.program(
        rule,
        1,
        lambda read, write: double(read, write, "norm"),
        lambda read, write: double(read, write, BRANCH),
    )
    assert [kernel.name for kernel in kernels] == [
        "norm",
        BRANCH,
        "norm",
        "add",
        "norm",
    ]
    assert kernels[3].reads == ("norm of branch 0", "x")


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("placement", ["pre", "post", "output", "sandwich"])
@pytest.mark.parametrize("operator", ["layer", "rms", "scale", "tanh"])
def test_the_plan_computes_the_block(operator, placement, fused):
    chain = Chain([5, 6], operator, 64, 16)
    machine, error = chain.run(placement, 5, fused=fused)
    assert error.max() < 1e-6
    spared = fused and placement == "post"
    assert ("sum 2" in machine.memory) != spared


def test_one_matrix_gives_what_three_give_and_moves_as_the_formula_says():
    ratio, error = projections([5], 64, 64, 64)
    assert ratio == 7 / 9
    assert error.max() < 1e-6


def test_every_claim_holds_in_small(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


@pytest.mark.parametrize("tile", [1, 64])
def test_the_tile_changes_no_count(small, tile):
    other = execute("fusion_and_speed", SMALL | {"tile": tile}, SEEDS)
    for name, values in small["metrics"].items():
        if name != "fusion_error":
            assert other["metrics"][name] == values
    assert outcomes(other) == outcomes(small)


def test_batch_norm_cannot_be_computed_a_few_rows_at_a_time():
    found = outcomes(execute("fusion_and_speed", SMALL | {"operator": "batch"}, SEEDS))
    assert found["fused_equals_unfused"] == "refuted"
    assert found["pre_moves_four"] == "supported"


def test_exchanging_the_placements_refutes_the_counts(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("fusion_and_speed", SMALL, SEEDS))
    assert found["pre_moves_four"] == "refuted"
    assert found["post_moves_three"] == "refuted"
    assert found["unfused_moves_five"] == "supported"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("fusion_and_speed", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("fusion_and_speed", {"rows": 1024}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
