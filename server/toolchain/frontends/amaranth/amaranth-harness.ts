/**
 * The Python program that runs an Amaranth design inside the sandbox. It imports the file, finds its components, and
 * writes each as RTLIL to standard output. Output of the design itself goes to standard error.
 *
 * Candidates are variables that are elaboratables, and the file's own elaboratable classes without arguments and without
 * such a variable. Parts of another candidate do not count. Plain elaboratables have no signature: their public signals are the ports.
 * Source: Amaranth language guide, `amaranth.back.rtlil.convert`, `amaranth.lib.wiring.Component`.
 */
export const AMARANTH_HARNESS = `
import importlib.util, inspect, os, sys, traceback

answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
path, top = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)

def report(error):
    line, column = 0, None
    for frame in traceback.extract_tb(error.__traceback__):
        if os.path.basename(frame.filename) == os.path.basename(path):
            line, column = frame.lineno, getattr(frame, "colno", None)  # columns since Python 3.11, from 0
    if isinstance(error, SyntaxError) and error.lineno:
        line, column = error.lineno, (error.offset or 0) - 1
    place = "%d.%d" % (line, column + 1) if line and column is not None and column >= 0 else str(line)
    text = " ".join(str(error).split()) or "no reason given"
    print("%s:%s: ERROR: %s: %s" % (path, place, type(error).__name__, text), file=sys.stderr)

try:
    from amaranth.back import rtlil
    from amaranth.hdl import Elaboratable, Signal
    spec = importlib.util.spec_from_file_location("design", path)
    design = importlib.util.module_from_spec(spec)
    sys.modules["design"] = design
    spec.loader.exec_module(design)
except BaseException as error:
    report(error)
    sys.exit(1)

elaborated = {}
current = None

def observe(cls):
    plain = cls.__dict__.get("elaborate")
    if plain is None:
        return
    def elaborate(self, platform):
        if current is not None and type(self).__name__ != current:
            elaborated.setdefault(current, set()).add(type(self).__name__)
        return plain(self, platform)
    cls.elaborate = elaborate

classes = {name: value for name, value in vars(design).items()
           if inspect.isclass(value) and issubclass(value, Elaboratable) and value.__module__ == "design"}
instances = {name: value for name, value in vars(design).items() if isinstance(value, Elaboratable)}
for value in classes.values():
    observe(value)

if top is not None:
    if top not in classes and top not in instances:
        print("%s:0: ERROR: no class or variable is called %s; the file has %s" % (
            path, top, ", ".join([*classes, *instances]) or "no component"), file=sys.stderr)
        sys.exit(1)
    classes = {top: classes[top]} if top in classes else {}
    instances = {top: instances[top]} if top in instances else {}

made = dict(instances)
for name, cls in classes.items():
    if any(type(one) is cls for one in instances.values()):
        continue
    try:
        inspect.signature(cls).bind()
    except TypeError:
        if top is not None or not instances:
            print("%s:%d: Warning: class %s needs arguments; create an instance in the file, %s = %s(...)" % (
                path, inspect.getsourcelines(cls)[1], name, name.lower(), name), file=sys.stderr)
        continue
    try:
        made[name] = cls()
    except Exception as error:
        report(error)

def ports_of(component):
    if hasattr(component, "signature"):
        return None
    if callable(getattr(component, "ports", None)):
        return list(component.ports())
    return [value for key, value in vars(component).items()
            if isinstance(value, Signal) and not key.startswith("_")]

results = {}
for name, component in made.items():
    current = type(component).__name__
    try:
        ports = ports_of(component)
        options = {} if ports is None else {"ports": ports}
        results[name] = (type(component).__name__, rtlil.convert(component, name=name, **options))
    except Exception as error:
        report(error)
    current = None

parts = set().union(*elaborated.values()) if elaborated else set()
shown = {name: text for name, (cls, text) in results.items() if cls not in parts or top is not None}
if not shown:
    if not made:
        print("%s:0: ERROR: the file has no Amaranth component that can be created without arguments" % path,
              file=sys.stderr)
    sys.exit(1)
for text in shown.values():
    answer.write(text + "\\n")
answer.flush()
os._exit(0)
`;
