import random

import pytest

from pentathlon_engines.contract.draws import shuffle


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 33, 70])
def test_shuffle_gives_what_the_generator_gives(length: int) -> None:
    for seed in range(20):
        items, wanted = list(range(length)), list(range(length))
        rng, same = random.Random(seed), random.Random(seed)

        shuffle(items, rng)
        same.shuffle(wanted)

        assert items == wanted
        assert rng.random() == same.random()
