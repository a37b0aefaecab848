"""The monitor on torch's own modules."""

import math
import os
import subprocess
import sys
import warnings
from itertools import chain

import pytest
import torch
from torch import nn
from torch.nn import functional

from sim.nets.probes import Monitor

DEPTH, WIDTH, HEADS, LENGTH = 4, 16, 2, 5


def encoder(*, norm_first=True, depth=DEPTH, dropout=0.0):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 32, dropout=dropout, batch_first=True, norm_first=norm_first
    )
    return nn.TransformerEncoder(layer, depth, enable_nested_tensor=not norm_first)


def inputs(batch=3):
    return torch.randn(batch, LENGTH, WIDTH, generator=torch.Generator().manual_seed(1))


def train(model, monitor, steps=3, rate=0.01):
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    readings = []
    for _ in range(steps):
        optimizer.zero_grad()
        model(inputs()).square().mean().backward()
        optimizer.step()
        readings.append(monitor.read())
    return readings


def test_the_import_leaves_the_readers_threads_alone():
    program = (
        "import torch; torch.set_num_threads(3); import sim.nets.probes;"
        "print(torch.get_num_threads())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    told = subprocess.check_output(
        [sys.executable, "-c", program], env=environment, text=True
    )
    assert told == "3\n"


def hooks(model):
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
    on_modules = [len(getattr(m, k)) for m in model.modules() for k in kinds]
    on_weights = [len(p._post_accumulate_grad_hooks or ()) for p in model.parameters()]
    return sum(on_modules) + sum(on_weights)


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_example_in_the_readme(norm_first):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, norm_first=norm_first)
    model = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step():
        x = torch.randn(8, 16, 32)
        optimizer.zero_grad()
        functional.mse_loss(model(x), x).backward()
        optimizer.step()

    with Monitor(model) as monitor:
        healthy = []
        for _ in range(5):
            step()
            healthy.append(monitor.read())
        with torch.no_grad():  # a fault: queries and keys of one layer blow up
            model.layers[3].self_attn.in_proj_weight[:64] *= 10
        step()
        broken = monitor.read().broken(healthy)

    assert broken is not None
    assert broken.layer == "layers.3"
    assert broken.sign == "largest attention logit"
    assert "usually at most" in str(broken)
    assert all(reading.broken(healthy) is None for reading in healthy)


@pytest.mark.parametrize("norm_first", [True, False])
def test_sizes_are_those_of_the_stream_walked_by_hand(norm_first):
    model = encoder(norm_first=norm_first).eval()
    with torch.no_grad(), Monitor(model) as monitor:
        model(inputs())
        reading = monitor.read()
        x = inputs()
        for name, block in enumerate(model.layers):
            y = block(x)
            layer = reading[f"layers.{name}"]
            assert layer.input == pytest.approx(x.square().mean().sqrt().item())
            assert layer.rms == pytest.approx(y.square().mean().sqrt().item())
            seen = block.norm1(x) if norm_first else x
            branch = block.self_attn(seen, seen, seen, need_weights=False)[0]
            ratio = branch.norm() / x.norm()
            assert layer.branches["self_attn"] == pytest.approx(ratio.item(), rel=1e-5)
            x = y
    assert set(reading["layers.0"].branches) == {"self_attn", "linear2"}


def test_the_fused_path_of_an_encoder_in_evaluation_is_seen_through():
    model = encoder(norm_first=False).eval()
    padding = torch.zeros(3, LENGTH, dtype=torch.bool)
    padding[0, 3:] = True
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are a prototype
        plain = model(inputs(), src_key_padding_mask=padding)
        with Monitor(model) as monitor:
            watched = model(inputs(), src_key_padding_mask=padding)
        reading = monitor.read()
    assert torch.allclose(plain[~padding], watched[~padding], atol=1e-5)
    assert all(layer.logit > 0 and layer.rms > 0 for layer in reading.layers)
    assert torch.backends.mha.get_fastpath_enabled()


def test_gradients_and_updates_are_those_of_the_weights():
    model, twin = encoder(), encoder()
    with Monitor(model) as monitor:
        (reading,) = train(model, monitor, steps=1)
    twin(inputs()).square().mean().backward()
    for name, block in enumerate(twin.layers):
        weights = list(block.parameters())
        gradient = torch.cat([w.grad.flatten() for w in weights]).norm().item()
        size = torch.cat([w.detach().flatten() for w in weights]).norm().item()
        layer = reading[f"layers.{name}"]
        assert layer.gradient == pytest.approx(gradient, rel=1e-5)
        assert layer.update == pytest.approx(0.01 * gradient / size, rel=1e-3)


def test_evaluation_measures_no_gradient_and_no_update():
    model = encoder()
    with torch.no_grad(), Monitor(model) as monitor:
        model(inputs())
    layers = monitor.read().layers
    assert {(layer.gradient, layer.update) for layer in layers} == {(None, None)}
    assert monitor.read().layers == []


def test_watching_changes_no_number_and_leaves_no_hook():
    runs = []
    for watched in (True, False):
        model = encoder(dropout=0.1)
        torch.manual_seed(3)
        if watched:
            with Monitor(model) as monitor:
                train(model, monitor)
                assert hooks(model) > 0
        else:
            train(model, Monitor(model))
        assert hooks(model) == 0
        runs.append(torch.cat([p.detach().flatten() for p in model.parameters()]))
    assert torch.equal(*runs)


def test_hooks_go_when_the_model_fails():
    model = encoder()
    with pytest.raises(RuntimeError), Monitor(model):
        model(torch.randn(3, LENGTH, WIDTH + 1))
    assert hooks(model) == 0
    assert torch.backends.mha.get_fastpath_enabled()


def test_an_empty_batch_shows_nothing():
    model = encoder()
    with Monitor(model) as monitor:
        assert model(inputs()[:0]).shape == (0, LENGTH, WIDTH)
        empty = monitor.read()
        model(torch.cat((inputs(), inputs()[:0])))
    assert [layer.name for layer in empty.layers] == [f"layers.{i}" for i in range(4)]
    shown = {
        (layer.input, layer.logit, layer.branch, layer.rms) for layer in empty.layers
    }
    assert shown == {(None,) * 4}
    assert monitor.read()["layers.0"].rms > 0


@pytest.mark.parametrize("first", [0, 1])
def test_monitors_are_left_in_any_order(first):
    models = encoder().eval(), encoder().eval()
    monitors = [Monitor(model) for model in models]
    for monitor in monitors:
        monitor.__enter__()
    monitors[first].__exit__(None, None, None)
    with torch.device("cpu"), torch.no_grad():  # a mode of torch's own on top
        models[1 - first](inputs())
        monitors[1 - first].__exit__(None, None, None)
        assert len(torch.overrides._get_current_function_mode_stack()) == 1
    logits = [layer.logit for layer in monitors[1 - first].read().layers]
    assert len(logits) == DEPTH
    assert None not in logits
    assert torch.backends.mha.get_fastpath_enabled()
    assert torch.overrides._get_current_function_mode_stack() == []


def test_a_monitor_is_entered_once_at_a_time():
    model = encoder()
    with Monitor(model) as monitor:
        before = hooks(model)
        with pytest.raises(RuntimeError, match="already entered"), monitor:
            pass
        assert hooks(model) == before
    with monitor:
        assert hooks(model) == before
    assert hooks(model) == 0


def test_a_branch_of_a_stream_that_is_not_a_number_is_none_either():
    model = encoder()
    with Monitor(model) as monitor:
        model(inputs() * torch.nan)
    assert all(map(math.isnan, monitor.read()["layers.0"].branches.values()))


def test_layers_and_branches_can_be_named():
    model = encoder()
    with Monitor(model, layers=["layers.1"], branches=["linear1"]) as monitor:
        model(inputs())
    (layer,) = monitor.read().layers
    assert (layer.name, layer.branches) == ("layers.1", {})
    with pytest.raises(KeyError):
        Monitor(model, layers=["layers.9"])


def fault(model, place, kind):
    block = model.layers[place]
    with torch.no_grad():
        match kind:
            case "logits":
                block.self_attn.in_proj_weight[: 2 * WIDTH] *= 10
            case "branch":
                block.linear2.weight *= 50
            case "not a number":
                block.linear1.bias[0] = torch.nan
            case "dead":
                block.linear2.weight.zero_()
                block.linear2.bias.zero_()


SIGNS = {
    "logits": "largest attention logit",
    "branch": "branch linear2 over stream",
    "not a number": "branch linear2 over stream",
    "dead": "branch linear2 over stream",
}


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("place", range(DEPTH))
@pytest.mark.parametrize("kind", SIGNS)
def test_the_layer_with_the_fault_is_named(norm_first, place, kind):
    model = encoder(norm_first=norm_first)
    with Monitor(model) as monitor:
        healthy = train(model, monitor)
        fault(model, place, kind)
        (reading,) = train(model, monitor, steps=1)
    broken = reading.broken(healthy)
    assert broken is not None
    assert (broken.layer, broken.sign) == (f"layers.{place}", SIGNS[kind])
    if kind == "not a number":
        assert reading.first_non_finite == f"layers.{place}"
        assert broken.reason.endswith("not finite; its input still was")
    else:
        assert reading.first_non_finite is None


def test_a_huge_step_is_named_by_its_update_before_the_next_pass():
    model = encoder()
    with Monitor(model) as monitor:
        healthy = train(model, monitor)
        model(inputs()).square().mean().backward()
        with torch.no_grad():
            for weight in model.layers[2].parameters():
                weight -= 10 * weight.grad
        broken = monitor.read().broken(healthy)
    assert broken is not None
    assert (broken.layer, broken.sign) == ("layers.2", "update over weight")


def test_a_table_has_a_row_for_each_layer():
    model = encoder()
    with Monitor(model) as monitor:
        (reading,) = train(model, monitor, steps=1)
    head, *rows = str(reading).splitlines()
    assert head.split() == ["layer", "rms", "branch", "logit", "gradient", "update"]
    assert [row.split()[0] for row in rows] == [f"layers.{i}" for i in range(DEPTH)]
    assert not set("–") & set(chain.from_iterable(rows))
