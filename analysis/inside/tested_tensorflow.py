"""One API of TensorFlow under its sample calls; see `tested`."""

import live_tensorflow
import tensorflow as tf
from exercises_tensorflow import exercise
from recorder_tensorflow import differentiable, framework_frames
from tested import Tested, silence

MOST_SAMPLES = 6


def prepare():
    """Make this process one that profiles: one thread, silent, and blocked calls end it."""
    silence()
    live_tensorflow.pin()
    tf.get_logger().setLevel("CRITICAL")


class TensorFlowTested(Tested):
    """What operators run for a call, and for its gradient."""

    exercise = staticmethod(exercise)
    framework_frames = staticmethod(framework_frames)

    def run_once(self, function, args, kwargs, made, noted):
        """Call it under a tape. The first call of a layer makes its variables, which belongs to
        its construction."""
        first, found = set(), {}
        if getattr(function, "built", None) is False:
            first, _ = self.recorder.record(lambda: function(*args, **kwargs))
        sources = differentiable([args, kwargs])
        with tf.GradientTape(persistent=True) as tape:
            for source in sources:
                tape.watch(source)
            with noted:
                found["forward"], result = self.recorder.record(lambda: function(*args, **kwargs))
        found["constructor"] = made | (first - found["forward"])
        sources += list(getattr(function, "trainable_variables", ()))
        found["backward"] = self.recorder.backward(tape, result, differentiable(sources))
        return found
