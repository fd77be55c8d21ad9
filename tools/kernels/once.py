"""What Numba does again and again while it compiles many kernels, done once: `objects.py` compiles so in half the time.

Numba compiles what a kernel calls as a library of its own, with all that this calls linked in, optimises it, makes
machine code, and does so again inside each caller. Here each function is kept alone and as it is; those that a group
needs are linked once, and the whole is optimised once. What a call of given types means is looked up once, not at every
place; and nothing is worked out for generators, listeners or coloured messages, which kernels do not have.

All of this is Numba's inside, which may change from version to version. It is looked at first: where it is not what is
known here, nothing is changed, and Numba compiles as it does.
"""

import inspect

from llvmlite.binding import Linkage, create_new_module_pass_manager
from numba.core import errors, event, ir, transforms, types
from numba.core.codegen import CPUCodegen, CPUCodeLibrary
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher, _FunctionCompiler
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

PLAIN = {ir.Loc, str, int, bool, float, type(None)}  # what holds no variable
# Passes for closures, `with`, `raise` with values, functions that Numba itself puts in, containers of several types and
# parallel loops; kernels have none of them.
NEEDLESS = {
    "with_lifting",
    "inline_closure_likes",
    "Rewrite dynamic raises",
    "make_function_op_code_to_jit_function",
    "inline_inlinables",
    "find_literally",
    "literal_unroll",
    "LiteralPropagation",
    "inline_overloads",
    "nopython_supported_feature_validation",
    "dump_parfor_diagnostics",
}
# what is replaced or called here, and the parameters that it has
KNOWN = (
    (event, "broadcast", "event"),
    (ir.Inst, "_rec_list_vars", "self val"),
    (CPUCodeLibrary, "finalize", "self"),
    (CPUCodeLibrary, "_optimize_functions", "self ll_module"),
    (CPUContext, "get_abi_sizeof", "self ty"),
    (CPUContext, "load_additional_registries", "self"),
    (CPUCodegen, "_module_pass_manager", "self kwargs"),
    (CPUCodegen, "_pass_builder", "self kwargs"),  # where it is, a manager comes with its builder
    (CPUCodeLibrary, "_finalize_final_module", "self"),
    (_FunctionCompiler, "_compile_core", "self args return_type"),
    (_FunctionCompiler, "_customize_flags", "self flags"),
    (Dispatcher, "add_overload", "self cres"),
    (Dispatcher, "enable_caching", "self"),
    (Dispatcher, "get_call_template", "self args kws"),
    (types, "unliteral", "lit_type"),
    (BaseFunction, "get_call_type", "self context args kws"),
    (ConfigStack, "top_or_none", ""),
    (PassManager, "_runPass", "self index pss internal_state"),
    (PostProcessor, "run", "self emit_dels extend_lifetimes"),
    (VariableLifetime, "__init__", "self blocks"),
    (transforms, "canonicalize_cfg", "blocks"),
)
LEAVES = set()  # the libraries of functions that are put into their callers
FIELDS = {"_finalized", "_final_module", "_linking_libraries"}  # of a library


def misfit() -> str:
    """What of Numba's inside is not as it is known here; an empty string if all is."""
    for owner, name, parameters in KNOWN:
        found = getattr(owner, name, None)
        where = f"{owner.__name__}.{name}"
        if found is None:
            return f"{where} is gone"
        if " ".join(inspect.signature(found).parameters) != parameters:
            return f"{where} takes {inspect.signature(found)}"
    makers = [vars(kind).get("__init__") for kind in CPUCodeLibrary.__mro__]
    fields = {name for maker in makers if hasattr(maker, "__code__") for name in maker.__code__.co_names}
    fields |= set(dir(CPUCodeLibrary))
    return f"libraries have no {', '.join(sorted(FIELDS - fields))}" if FIELDS - fields else ""


def compile_once(adjust_flags) -> str:
    """Changes Numba, in this process, to compile for objects alone, with adjusted flags; or says why not."""
    why = misfit()
    if why:
        return why
    if hasattr(errors, "HighlightColorScheme"):  # only where colorama is installed; asked at each line of a kernel
        errors.HighlightColorScheme._markup = lambda scheme, message, *_, **__: message
    event.broadcast = lambda _: None
    ir.Inst._rec_list_vars = list_variables
    keep_functions_alone(adjust_flags)
    compile_constants_once()
    leave_out_needless_passes()
    measure_types_once()
    look_up_calls_once()
    follow_lifetimes_once()
    load_registries_once()
    return ""


def keep_functions_alone(adjust_flags) -> None:
    """Keeps what kernels call as code to be linked in: not optimised, no machine code, nothing cached."""
    compile_core = _FunctionCompiler._compile_core

    def finish(library):
        library._finalized = True

    def compile_raw(compiler, arguments, return_type):
        result = compile_core(compiler, arguments, return_type)
        result = result._replace(entry_point=object())  # a name to call it by
        result.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
        put_in_leaves(result.library)
        if is_leaf(compiler):
            LEAVES.add(result.library)
        return result

    def keep(dispatcher, result):
        dispatcher.overloads[tuple(result.signature.args)] = result

    CPUCodeLibrary.finalize = finish
    CPUCodeLibrary._optimize_functions = lambda library, module: setattr(
        module, "data_layout", library._codegen._data_layout
    )
    _FunctionCompiler._compile_core = compile_raw
    _FunctionCompiler._customize_flags = lambda compiler, flags: adjust_flags(flags)
    Dispatcher.add_overload = keep
    Dispatcher.enable_caching = lambda dispatcher: None


def is_leaf(owner) -> bool:
    """Whether a function's compiler or dispatcher has it put into its callers."""
    return bool(owner.targetoptions.get("forceinline"))


def put_in_leaves(library) -> None:
    """Puts the leaves that a function calls into it, and tidies it up before it is put into others in turn.

    LLVM puts all leaves into all functions first, and tidies up then: of a leaf in a leaf in a leaf there would be many
    untidy copies.
    """
    module = library._final_module
    for leaf in dict.fromkeys(library._linking_libraries):
        if leaf in LEAVES:
            module.link_in(leaf._final_module, preserve=True)
            for function in leaf._final_module.functions:
                if not function.is_declaration:
                    module.get_function(function.name).linkage = "linkonce_odr"  # to be left out when it is put in
    manager = create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()  # a third is left, which is all that each group links and optimises
    manager.add_simplify_cfg_pass()
    manager.run(module, library._codegen._pass_builder())


def compile_constants_once() -> None:
    """Compiles a kernel once for all constants that it is called with: LLVM meets them where it is put in."""
    template_of = Dispatcher.get_call_template

    def template_of_plain(dispatcher, args, kws):
        if dispatcher.py_func.__module__.startswith("forearm."):
            args, kws = [types.unliteral(kind) for kind in args], {k: types.unliteral(kind) for k, kind in kws.items()}
        return template_of(dispatcher, args, kws)

    Dispatcher.get_call_template = template_of_plain


def leave_out_needless_passes() -> None:
    """Runs the passes that kernels need; Numba's own functions get all."""
    run = PassManager._runPass

    def run_needed(manager, index, each, state):
        if each.name() not in NEEDLESS or not state.func_id.modname.startswith("forearm."):
            run(manager, index, each, state)

    PassManager._runPass = run_needed


def measure_types_once() -> None:
    """Asks LLVM for the size of a type once: Numba writes a module for it to read, each time."""
    measure, known = CPUContext.get_abi_sizeof, {}

    def measure_once(context, kind):
        name = str(kind)
        if name not in known:
            known[name] = measure(context, kind)
        return known[name]

    CPUContext.get_abi_sizeof = measure_once


def finish_whole(library, exported):
    """Links all that a library needs, each function once, and optimises the whole; `exported` names what C calls."""
    whole = library._final_module
    for needed in reached(library):
        whole.link_in(needed._final_module, preserve=True)
    for function in library.get_defined_functions():
        if function.linkage == Linkage.external and function.name not in exported:
            # Only now: the linker leaves out what may be left out and is not called yet. An object's functions are its
            # own: were they to be had by name, a program that takes one object would be given parts of another.
            function.linkage = "internal"
    optimise(library._codegen, whole)
    whole.verify()
    library._finalize_final_module()


def optimise(codegen, module) -> None:
    """Runs LLVM's passes over a module, once.

    Numba runs them twice, the first time to bring references that are counted side by side, so that they can be struck
    out. Kernels count none, and the second time gains nothing: a third of LLVM's work for the same bits and speed.
    """
    manager, builder = codegen._module_pass_manager()
    manager.run(module, builder)


def reached(library):
    """The libraries that one needs, and those that they need, each once."""
    found, ahead = {}, list(library._linking_libraries)
    while ahead:
        needed = ahead.pop()
        if needed not in found:
            found[needed] = True
            ahead += needed._linking_libraries
    return found


def look_up_calls_once() -> None:
    """Remembers which version of a built-in function a call of given types means: `a + b` of two numbers is common."""
    resolve, known, settings = BaseFunction.get_call_type, {}, {}

    def resolve_once(function, context, args, kws):
        flags = ConfigStack.top_or_none()
        if id(flags) not in settings:
            settings[id(flags)] = flags, "" if flags is None else flags.summary()  # kept, so that no other has its id
        key = id(function), tuple(args), tuple(kws.items()), settings[id(flags)][1]
        if key not in known:
            known[key] = function, resolve(function, context, args, kws)
        return known[key][1]

    BaseFunction.get_call_type = resolve_once


def follow_lifetimes_once() -> None:
    """Works out how long variables live where they are given up, not after each of the passes before."""
    run = PostProcessor.run

    def run_when_needed(processor, emit_dels=False, extend_lifetimes=False):
        function = processor.func_ir
        if emit_dels or function.is_generator:
            run(processor, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime, function.generator_info = VariableLifetime(function.blocks), None

    PostProcessor.run = run_when_needed


def load_registries_once() -> None:
    """Loads what Numba knows of Python's and numpy's functions once for a context, not before each function."""
    load, known = CPUContext.load_additional_registries, {}

    def load_once(context):
        if id(context) not in known:
            known[id(context)] = context  # kept, so that no other has its id
            load(context)

    CPUContext.load_additional_registries = load_once


def list_variables(instruction, value):
    """The variables in what an instruction holds; as Numba's own, which asks four questions about each plain value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else (value,)
    found = []
    for part in inner:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif kind in PLAIN:
            continue
        elif isinstance(part, ir.Inst):
            found += part.list_vars()
        elif isinstance(part, (list, tuple, dict)):
            found += list_variables(instruction, part)
    return found
