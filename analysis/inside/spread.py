"""Bring a trigger into valid calls of other APIs, and make each call in two ways that should agree.

In: `{"apis": [[name, api], ...], "infections": [...], "ways": [one, other], "sampled": truth,
"ended": whether it only counts how calls end, "milder": whether a trigger of a lesser size must
change nothing, "apart": whether the call must work if all tensors of that dtype have the trigger,
"loose": whether what has no place for the trigger is compared without, "wanted": None or
{"states": those that count, "type": an exception's or "", "message": its or ""}}`. An API is
`{"names": parameters in order, "defaults": their defaults as texts, "new": the same two of a
layer's constructor, "method": truth, "calls": [...]}`, a call `{"call": [arguments, keywords],
"new": those of a layer's constructor or None}`, its values as `eagle_samples` reads them. An
infection has `roles`, of which the first that the call has counts, and `each`, a list of
[condition, expression] as in `vary` for each place of a tensor that it may be brought to; `other`
is an expression for the first input of the same dtype, which they may name so. Where it is `fixed`,
it does not depend on what was there, and `milder` is what it is of a lesser size, if it has any.
`together`: all tensors have it, or none. Where it is `refused`, only those places count that the
plain way refuses; the role `any` is one argument, also one that the call leaves out. A way has
`each` for all inputs, of which those that hold the trigger have the role `bad`; where it `refuses`,
only that counts. It has `run`, `setup` and `layer` for the call (`citadel.spread.facts`). Where
`sampled`, the second way is made without the trigger.

Out: pairs for `eagle_run`. In front of each goes its control, the same pair without the trigger:
only where both ways agree of that is the trigger brought in.
"""

import re
from difflib import SequenceMatcher
from functools import partial

from eagle_pairs import Call, Input, Pair, call_of
from eagle_plans import most, share
from eagle_samples import arguments
from unpickle import NoLiteral
from vary import FACTS, told

RULE, OUT, WRITTEN, ANY, BAD, ALIKE = "spread", "out", "written", "any", "bad", "alike"
PLACES = 8
"""Ways to place a trigger in one call, at most."""
REFUSED_PLACES = 40
"""The same where plain calls decide."""
AGREED = ("equal", "incomparable")
TELLS = ("incomparable", "status")
"""States of a pair that tell, besides equal and different results: of tensors without elements
only whether they are made."""
SIMILAR = 0.6
"""How much of two messages must be the same for the host to look at it."""
_VARIES = re.compile(r"\{\{.*?\}\}|\[Op:.*|\d+")
_X, _OTHER = re.compile(r"\bx\b"), re.compile(r"\bother\b")


class Spread:
    """Makes pairs in the world of one framework; `tensor_of` makes tensors and `is_tensor` knows
    them, `live` compares them, `tested` has further calls of an API, `runner` runs pairs."""

    def __init__(self, world, runner, live, tensor_of, is_tensor, tested, given):
        self.world, self.runner, self.live = world, runner, live
        self.tensor_of, self.is_tensor, self.tested = tensor_of, is_tensor, tested
        self.apis, self.infections = given["apis"], given["infections"]
        self.ways, self.sampled, self.ended = given["ways"], given["sampled"], given["ended"]
        self.milder = given["milder"] and any(one["milder"] for one in self.infections)
        self.refused = any(one["refused"] for one in self.infections)
        self.refuses = any(way["refuses"] for way in self.ways)
        self.apart, self.loose = given["apart"], given["loose"]
        self.wanted = given["wanted"]

    def counts(self, seen):
        """Whether a failure may be one that is asked for: another one must not stand in its way."""
        wanted = self.wanted
        if self.refuses and (seen.state, seen.side) != ("status", "reference"):
            return False
        if wanted is None:
            return seen.failed()
        if seen.state not in wanted["states"]:
            return False
        if seen.state != "status" or not wanted["type"]:
            return True
        types, message = seen.problem
        return wanted["type"] in types and similar(message, wanted["message"])

    def groups(self):
        """One entry per API, in the host's order."""
        return [[partial(self.pairs, name, api)] for name, api in self.apis]

    def pairs(self, name, api, step, rng):
        """The pairs of one API in one round, each behind its control."""
        if self.refuses and api["new"]:
            # What an object is made with may be refused when it is made, or when it is used.
            new = dict(api["new"], new=None, method=False)
            for number, record in enumerate(share(api["calls"], step)):
                made = record["new"] and self.call(name, new, {"call": record["new"], "new": None})
                if made:
                    yield from self.of_call(name, new, made, "new {}".format(number))
        for number, call in enumerate(self.calls(name, api, step)):
            yield from self.of_call(name, api, call, number)

    def of_call(self, name, api, call, number):
        """The pairs of one call; `number` tells it from others of the API."""
        places = self.places(api, call, PLACES)
        bare = self.loose and not places
        if not places and not self.refused and not self.refuses and not bare:
            return
        if any(way["run"] for way in self.ways):
            asked = self.asks_silence(name, call, number)
            yield asked
            call.silent = asked.seen is not None and asked.seen.state == "equal"
        if self.refused:
            yield from self.lost(name, api, call, number)
            return
        all_places = [(place, False) for place in range(places or bare)]
        if self.refuses:
            left = self.places(api, call, PLACES, left_out=True)
            all_places += [(place, True) for place in range(left)]
        for place, left_out in all_places:
            made = self.made(name, api, place, call, number, left_out)
            if made is None:
                continue
            *controls, pair = made
            for control in controls:
                yield control
                if control.seen is not None and control.seen.state not in AGREED:
                    break
            else:  # all agree, or nothing is run
                yield pair

    def asks_silence(self, name, call, number):
        """A control that tells whether a call gives nothing back."""
        sides = "({}) is None".format(call.text()), "True"
        variant = "without {} result".format(number)
        return Pair(RULE, variant, name, call.inputs, *sides, told=True, apart=True, control=True)

    def lost(self, name, api, call, number):
        """Pairs of a call until a refusal of the plain way is lost in the other one."""
        for left_out in (False, True):
            agreed = None
            for place in range(self.places(api, call, REFUSED_PLACES, left_out)):
                made = self.made(name, api, place, call, number, left_out)
                if made is None:
                    continue
                control, pair = made
                plain = pair.reference if self.ways[0]["run"] else pair.result
                key = self.key(number, place, left_out)
                refusal = pair.refusal("without {} but plain".format(key), plain)
                yield refusal
                if refusal.seen is not None and refusal.seen.state != "status":
                    continue
                if agreed is None:
                    yield control
                    agreed = control.seen is None or control.seen.state in AGREED
                if not agreed:
                    break
                yield pair
                if pair.seen is not None and pair.seen.failed():
                    return

    def places(self, api, call, most, left_out=False):
        """How many places of a call the trigger can be brought to, at most so many."""
        try:
            return min(most, Case(self, api, call, left_out=left_out).places)
        except Exception:  # it takes no `out`, or has no value that this build can make
            return 0

    def calls(self, name, api, step):
        """The calls that one round is about."""
        found = [self.call(name, api, record) for record in share(api["calls"], step)]
        count = len(api["calls"])
        last = max(0, most(step) - count)
        more = self.tested(name, last) if last else []
        first = max(0, most(step - 1) - count) if step else 0
        return [one for call in (*found, *more[first:last]) if call for one in self.writable(call)]

    def writable(self, call):
        """A call; what a script cannot hold is first replaced by numbers in a row, or ones."""
        large = [name for name, value in call.inputs.items() if self.large(value)]
        for number in (1, 0) if large else ():
            plainer = {name: self.world.plainer(call.inputs[name], number) for name in large}
            yield call.over(dict(call.inputs, **plainer))
        yield call

    def large(self, value):
        """Whether a script cannot hold an input."""
        try:
            self.world.text(value)
        except NoLiteral:
            return True
        return False

    def call(self, name, api, record):
        """A sample call; None where it cannot be made again."""
        modules, built = self.world.modules, None
        try:
            if record["new"] is not None:
                given = arguments(record["new"], self.tensor_of, modules)
                built = call_of(name, *given, is_input=self.is_tensor)
                if built.inputs:
                    return None
                name = built.text()
            given = arguments(record["call"], self.tensor_of, modules)
            made = call_of(name, *given, is_input=self.is_tensor, method=api["method"])
            made.built = built
            return made
        except Exception:  # no literal, or a value that this build cannot make
            return None

    def made(self, name, api, place, call, number=0, left_out=False):
        """Controls of a call, and behind them the call with the trigger in its `place`-th position
        (`left_out`: of arguments that it leaves out); None where it has none."""
        again = partial(self.smaller, name, api, place, left_out=left_out)
        key = self.key(number, place, left_out)
        try:
            case = Case(self, api, call, left_out=left_out)
            infected = self.infections and case.infect(place)
            if self.infections and not infected and not self.loose:
                return None
            sides = (True, False) if infected else (False,)  # the second way is the control
            pairs = [case.pair(name, key, bare, call, again) for bare in sides]
            lesser = [Case(self, api, call, milder=True)] if self.milder else []
            lesser += [Case(self, api, call, alike=case.infected())] if self.apart else []
            for one in lesser:
                if one.infect(place):
                    told = "milder " if one.milder else "alike "
                    control = one.pair(name, told + key, False, call, again, control=True)
                    pairs.insert(-1, control)
        except Exception:  # a change that these values do not allow
            return None
        return None if None in pairs else pairs

    @staticmethod
    def key(number, place, left_out):
        """The name of a place, whatever became of those before it."""
        return "{}.{}{}".format(number, place, " left out" if left_out else "")

    def smaller(self, name, api, place, call, left_out=False):
        """The pair over smaller inputs, if the ways still agree without the trigger."""
        made = self.made(name, api, place, call, left_out=left_out)
        if made is None or any(self.runner.run(one).state not in AGREED for one in made[:-1]):
            return None
        return made[-1]


class Case:
    """One call: its inputs, and the lines that bring the trigger, or a `milder` one, into them;
    where `left_out`, into arguments that it leaves out alone; into all tensors of the dtypes
    `alike`, if any."""

    def __init__(self, spread, api, call, milder=False, left_out=False, alike=()):
        self.spread, self.world, self.milder = spread, spread.world, milder
        self.left_out, self.alike = left_out, alike
        self.lines = []
        self.bad = {}
        """The names of the inputs that hold the trigger."""
        self.roles = {role for one in spread.infections for role in one["roles"]}
        self.fixed = {role for one in spread.infections if one["fixed"] for role in one["roles"]}
        self.outs = {}
        self.parameters = {}
        """The input of each parameter."""
        self.added = []
        """The inputs that the call has left out."""
        self.built, used = None, set()
        call.text(lambda name: used.add(name) or name)  # smaller inputs come with plain ones
        inputs = {name: value for name, value in call.inputs.items() if name in used}
        self.built = call.built and self.lifted(call.built, api["new"], inputs)
        self.call = self.lifted(call, api, inputs)
        self.silent = call.silent
        if OUT in self.roles or (WRITTEN in self.roles and not self.in_place):
            self.give_out()
        self.values = dict(self.call.inputs)

    def lifted(self, call, api, inputs):
        """The call with plain arguments that a role may mean as `inputs`; those that it leaves out
        have their defaults."""

        def place(name, value):
            if self.meant(name, value):
                free = name
                while free in inputs or free == OUT:
                    free += "_value"
                inputs[free], value = value, Input(free)
            elif type(value) in (list, tuple) and "number" in self.roles:  # sizes, for example
                return type(value)(place(name, item) for item in value)
            if isinstance(value, Input):
                self.parameters.setdefault(name, value.name)
            return value

        names, count = api["names"], len(call.args)
        names = [*names, *("given%d" % n for n in range(len(names), count))]
        args = [place(name, value) for name, value in zip(names, call.args)]
        kwargs = {name: place(name, value) for name, value in call.kwargs.items()}
        wanted = names if self.left_out else self.roles
        for name in (one for one in names[count:] if one in wanted and one not in kwargs):
            value = self.default(api, name)
            if self.meant(name, value):
                kwargs[name] = place(name, value)
                self.added.append(kwargs[name].name)
        name = call.name if self.built is None else self.built.text()
        return Call(name, args, kwargs, inputs, call.method)

    def default(self, api, name):
        """The default of a parameter; an `Input` of nobody where it has none that is known."""
        try:
            return eval(api["defaults"][name], dict(self.world.modules))
        except Exception:
            return Input("")

    def meant(self, name, value):
        """Whether a role means a plain argument: a number, or any that is to be another one."""
        if name in self.fixed:
            return not isinstance(value, Input) and not self.spread.large(value)
        meant = {"number", ANY, name} & self.roles
        return type(value) in (int, float) and bool(meant)

    @property
    def in_place(self):
        """Whether the call changes its first input, by its name."""
        return self.call.name.endswith("_") and not self.call.name.endswith("__")

    def give_out(self):
        """Have the call write to an `out` like its result, or to one for each of several."""
        call, space = self.call, dict(self.world.modules)
        space.update({name: self.world.copied(value) for name, value in call.inputs.items()})
        result = eval(call.text(), space)
        self.outs = {
            OUT + str(number or ""): self.spread.tensor_of(
                dtype, list(array.shape), (array != array).tolist()
            )
            for number, (dtype, array) in enumerate(self.world.leaves(result))
        }
        given = tuple(map(Input, self.outs))
        kwargs = dict(call.kwargs, out=given[0] if self.spread.is_tensor(result) else given)
        self.call = Call(call.name, call.args, kwargs, dict(call.inputs, **self.outs), call.method)

    @property
    def places(self):
        """How many places the trigger has; one where there is none to bring in."""
        return max((len(self.all_choices(one)) for one in self.spread.infections), default=1)

    def all_choices(self, infection):
        """(names, expressions) for each place that a fact can be brought to."""
        mild = self.milder and infection["milder"]
        ways = infection["milder"] if mild else infection["each"]
        return [(names, each) for each in ways for names in self.choices(infection, each)]

    def infect(self, place):
        """Change the inputs at one place; whether that changes any."""
        changed = False
        for one in self.spread.infections:
            choices = self.all_choices(one)
            names, each = choices[min(place, len(choices) - 1)] if choices else ((), [])
            for name in names:
                other = self.other(name) if one["other"] else ""
                if other is not None:
                    if other:
                        self.replace(other, one["other"])
                    changed = self.change(name, each, other, one["fixed"]) or changed
        return changed

    def infected(self):
        """The dtypes that the tensors had which hold the trigger."""
        tensors = (n for n in self.bad if self.spread.is_tensor(self.values[n]))
        return {FACTS["dtype"](self.values[n]) for n in tensors}

    def other(self, name):
        """The first input with the dtype of an `out`; None where there is none."""
        dtype = FACTS["dtype"]
        given = (one for one in self.call.inputs if one not in self.outs)
        alike = (one for one in given if dtype(self.values[one]) == dtype(self.values[name]))
        return next(alike, None)

    def choices(self, infection, each):
        """Inputs that are changed together, for each place: of the first role that has any."""
        for role in [ALIKE] if self.alike else infection["roles"]:
            found = [
                [name for name in names if self.expression(name, each) is not None]
                for names in self.of_role(role)[: 1 if infection["together"] else None]
            ]
            found = [names for number, names in enumerate(found) if names not in found[:number]]
            if any(found):
                return [names for names in found if names]
        return []

    def of_role(self, role):
        """Inputs that play a role: groups of names."""
        given = [n for n in self.call.inputs if n not in self.outs]
        tensors = [n for n in given if self.spread.is_tensor(self.values[n])]
        if role == "inputs":
            return [tensors, *([name] for name in tensors)]
        if role == ALIKE:
            return [[n for n in tensors if FACTS["dtype"](self.values[n]) in self.alike]]
        if role == "input":
            return [[name] for name in tensors]
        if role == "number":
            numbers = self.added if self.left_out else given
            return [[n] for n in numbers if n not in tensors]
        if role == ANY:
            return [[n] for n in (self.added if self.left_out else given)]
        if role == OUT or (role == WRITTEN and self.outs):
            return [list(self.outs)]
        if role == WRITTEN:
            return [tensors[:1]]
        return [[self.parameters.get(role, role)]]

    def expression(self, name, each):
        """What an input becomes, in terms of `x`; None where no condition holds."""
        known = self.bad.get(name, name)
        if known not in self.values:
            return None
        return expression(each, self.values[known], self.world, OUT if name in self.outs else "")

    def change(self, name, each, other="", fixed=False):
        """Change an input, where its expression may name another one; whether that alters it."""
        text, known = self.expression(name, each), self.bad.get(name, name)
        if not other:
            old = self.values[known]
            new = eval(text, dict(self.world.modules, x=old))
            if told(self.spread.live, new) == told(self.spread.live, old):
                return False
        if fixed:
            self.hold(name, text)
        else:
            self.replace(name, _OTHER.sub(self.bad.get(other, other), text))
        return True

    def replace(self, name, text):
        """Have an input hold what `text` makes of it."""
        self.hold(name, _X.sub(self.bad.get(name, name), text))

    def hold(self, name, text):
        """Have an input hold what `text` says."""
        bad = "bad_" + name
        self.values[bad] = eval(text, dict(self.world.modules, **self.values))
        self.bad[name] = bad
        self.lines.append("{} = {}".format(bad, text))

    def pair(self, name, key, bare, call, smaller, control=False):
        """The two ways of the call; without the trigger where `bare`."""
        one, other = self.spread.ways
        infected = not bare and not self.spread.sampled
        sides = self.written(one, not bare), self.written(other, infected)
        setup = [way["setup"] for way in (one, other) if way["setup"]]
        if one["run"] or other["run"]:
            taken = self.taken
            text = self.text(lambda name: name if name in taken else self.known(name, bare))
            given = ", ".join(taken)
            # What gives nothing back gives an operation in a graph, which no function may return.
            gives = "" if self.silent else "return "
            setup.append("def function({}):\n    {}{}\n".format(given, gives, text))
        setup += () if bare else self.lines
        return Pair(
            RULE,
            ("without " if bare or control else "with ") + key,
            name,
            self.call.inputs,
            sides[1],
            sides[0],
            setup="\n".join(dict.fromkeys(setup)),
            told=True,
            rounded=True,
            apart=True,
            ended=self.spread.ended or self.spread.refused or self.spread.refuses,
            counts=self.spread.counts,
            control=bare or control,
            call=call,
            smaller=smaller,
        )

    def written(self, way, infected):
        """The call made in a way, as text."""

        def wrap(name):
            known = self.known(name, not infected)
            role = BAD if known != name else ""
            text = expression(way["each"][0], self.values[known], self.world, role)
            return known if text is None else _X.sub(known, text)

        if way["run"]:
            given = ", ".join(map(wrap, self.taken))
            return "({})({})".format(way["run"].format("function"), given)
        layers = [one["layer"] for one in self.spread.infections if infected]
        return self.text(wrap, "".join(layers) + way["layer"])

    def text(self, wrap, layer=""):
        """The call, with each input written as `wrap` says; `layer` is put behind the construction
        of a layer."""
        call, name = self.call, self.call.name
        if self.built is not None:
            name = self.built.text(wrap)
        if name.endswith(")"):
            name += layer
        return Call(name, call.args, call.kwargs, call.inputs, call.method).text(wrap)

    @property
    def tensors(self):
        """What a function around the call is given; all else it knows."""
        return [n for n in self.call.inputs if self.spread.is_tensor(self.values[n])]

    @property
    def taken(self):
        """The same, and what holds the trigger, if one of two calls is made without it."""
        others = self.bad if self.spread.sampled else ()
        return [n for n in self.call.inputs if n in self.tensors or n in others]

    def known(self, name, bare):
        """The name of an input, with the trigger or without."""
        return name if bare else self.bad.get(name, name)


def similar(one, other):
    """Whether two messages may be the same but for names, numbers and TensorFlow's nodes."""
    one, other = (_VARIES.sub("", text).strip()[:200] for text in (one, other))
    return one == other or SequenceMatcher(None, one, other).ratio() >= SIMILAR


def groups_in(world, live, tensor_of, is_tensor, tested, given):
    """What a plan of a framework's module has as its entries."""
    from eagle_run import Runner

    return Spread(world, Runner(world), live, tensor_of, is_tensor, tested, given).groups()


def expression(each, value, world, role=""):
    """The first expression whose condition holds of a value; None where none does."""
    known = dict(world.modules, x=value, role=role, **FACTS)
    for condition, text in each:
        if eval(condition, known):
            return text
    return None
