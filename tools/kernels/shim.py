"""Writes the C border: one Python function for each entry, which checks every type and size and then calls the kernel.

The text is in Python's limited interface, so that one module serves every Python from 3.10 on. Arrays are looked at
through NumPy's own interface, which costs nanoseconds. What does not fit is a TypeError or ValueError with the entry,
the argument, what was given and what is asked; nothing is converted, nothing is read beyond its end. Kernels run
without the interpreter's lock.
"""

import ast
import importlib
import inspect
import platform
import re

from forearm.core import border
from forearm.export.pieces import PIECES

HEAD = """\
/* Made by tools/kernels/shim.py from core/border.py. */
#define Py_LIMITED_API 0x030A0000
#define NPY_NO_DEPRECATED_API NPY_1_25_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <string.h>

typedef struct { int type; int axes; int written; } Want;  /* axes 0: a number */

#define A(i) ((PyArrayObject *)args[i])
#define S(i, k) ((int64_t)PyArray_DIMS(A(i))[k])
#define HEAD_OF(i) NULL, NULL, (int64_t)PyArray_SIZE(A(i)), (int64_t)PyArray_ITEMSIZE(A(i)), PyArray_DATA(A(i))
#define T(i, k) ((int64_t)PyArray_STRIDES(A(i))[k])

static const char *type_name(int type) {
    switch (type) {
    case NPY_DOUBLE: return "float64";
    case NPY_FLOAT: return "float32";
    case NPY_INT64: return "int64";
    case NPY_INT8: return "int8";
    case NPY_UINT64: return "uint64";
    default: return "bool";
    }
}

static int refuse_array(const char *entry, const char *name, PyObject *given, const Want *want) {
    PyObject *kind = PyObject_GetAttrString((PyObject *)Py_TYPE(given), "__name__");
    PyErr_Format(PyExc_TypeError, "%s: %s is a %U; it takes an array of %s with %d axes", entry, name, kind,
                 type_name(want->type), want->axes);
    Py_XDECREF(kind);
    return 0;
}

static int take_array(const char *entry, const char *name, PyObject *given, const Want *want) {
    if (!PyArray_Check(given)) return refuse_array(entry, name, given, want);
    PyArrayObject *array = (PyArrayObject *)given;
    if (PyArray_TYPE(array) != want->type || !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_TypeError, "%s: %s holds %R; it takes %s", entry, name, (PyObject *)PyArray_DESCR(array),
                     type_name(want->type));
        return 0;
    }
    if (PyArray_NDIM(array) != want->axes) {
        PyErr_Format(PyExc_ValueError, "%s: %s has %d axes; it takes %d", entry, name, PyArray_NDIM(array), want->axes);
        return 0;
    }
    if (!PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED)) {
        PyErr_Format(PyExc_ValueError, "%s: %s is not C-contiguous; np.ascontiguousarray makes it so", entry, name);
        return 0;
    }
    if (want->written && !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE)) {
        PyErr_Format(PyExc_ValueError, "%s: %s is read-only; the kernel writes it", entry, name);
        return 0;
    }
    return 1;
}

static int take(const char *entry, const char *const *names, const Want *wants, Py_ssize_t asked,
                PyObject *const *args, Py_ssize_t count) {
    if (count != asked) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments; it got %zd", entry, asked, count);
        return 0;
    }
    for (Py_ssize_t i = 0; i < asked; i++)
        if (wants[i].axes && !take_array(entry, names[i], args[i], wants + i)) return 0;
    return 1;
}

static int refuse_number(const char *entry, const char *name, PyObject *given, const char *what) {
    PyErr_Format(PyExc_TypeError, "%s: %s is %R; it takes %s", entry, name, given, what);
    return 0;
}

static int take_float(const char *entry, const char *name, PyObject *given, double *out) {
    if (PyArray_Check(given)) return refuse_number(entry, name, given, "a number");
    *out = PyFloat_AsDouble(given);
    if (*out != -1.0 || !PyErr_Occurred()) return 1;
    PyErr_Clear();
    return refuse_number(entry, name, given, "a number");
}

static int take_int(const char *entry, const char *name, PyObject *given, int64_t *out) {
    PyObject *whole = PyArray_Check(given) ? NULL : PyNumber_Index(given);
    if (whole != NULL) {
        *out = PyLong_AsLongLong(whole);
        Py_DECREF(whole);
        if (*out != -1 || !PyErr_Occurred()) return 1;
    }
    PyErr_Clear();
    return refuse_number(entry, name, given, "a whole number of 64 bits");
}

static int take_unsigned(const char *entry, const char *name, PyObject *given, uint64_t *out) {
    PyObject *whole = PyArray_Check(given) ? NULL : PyNumber_Index(given);
    if (whole != NULL) {
        *out = PyLong_AsUnsignedLongLong(whole);
        Py_DECREF(whole);
        if (*out != (uint64_t)-1 || !PyErr_Occurred()) return 1;
    }
    PyErr_Clear();
    return refuse_number(entry, name, given, "a whole number from 0, of 64 bits");
}

static int take_truth(const char *entry, const char *name, PyObject *given, uint8_t *out) {
    if (PyBool_Check(given) || PyArray_IsScalar(given, Bool)) {
        *out = (uint8_t)(PyObject_IsTrue(given) == 1);
        return 1;
    }
    return refuse_number(entry, name, given, "True or False");
}

/* A whole number that an array carries, for the sizes of others; -1 if it carries none. */
static int64_t carried(PyArrayObject *array, int64_t place) {
    if (PyArray_SIZE(array) <= place) return -1;
    double number = ((const double *)PyArray_DATA(array))[place];
    return number >= 0.0 && number < 1e9 ? (int64_t)number : -1;
}

/* How many things a column names from a row on, counted from 0; more than any array has if it names none. */
static int64_t named(PyArrayObject *array, int64_t first, int64_t column) {
    const double *row = (const double *)PyArray_DATA(array);
    int64_t rows = (int64_t)PyArray_DIMS(array)[0], columns = (int64_t)PyArray_DIMS(array)[1], count = 0;
    if (column >= columns) return INT64_MAX / 8;
    for (int64_t i = first; i < rows; i++) {
        double number = row[i * columns + column];
        if (!(number >= 0.0 && number < 1e9)) return INT64_MAX / 8;
        if ((int64_t)number + 1 > count) count = (int64_t)number + 1;
    }
    return count;
}

static PyObject *refuse_size(const char *entry, const char *name, PyObject *given, const char *asked) {
    PyObject *shape = PyObject_GetAttrString(given, "shape");
    PyErr_Format(PyExc_ValueError, "%s: %s has shape %R; it takes (%s)", entry, name, shape, asked);
    Py_XDECREF(shape);
    return NULL;
}

static PyObject *failed(const char *entry) {
    PyErr_Format(PyExc_RuntimeError, "%s did not end as kernels do", entry);
    return NULL;
}
"""

FEATURES = """
static PyObject *missing_features(PyObject *self, PyObject *unused) {
    const char *missing = "";
#if defined(FOREARM_X86_64_V3) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("bmi")) missing = "BMI2";
    if (!__builtin_cpu_supports("fma")) missing = "FMA";
    if (!__builtin_cpu_supports("avx2")) missing = "AVX2";
#elif defined(FOREARM_X86_64_V3)
    if (!IsProcessorFeaturePresent(40)) missing = "AVX2";  /* PF_AVX2_INSTRUCTIONS_AVAILABLE */
#endif
    return PyUnicode_FromString(missing);
}
"""

# what kernels are compiled for: on x86 processors of the last ten years, elsewhere any
PROCESSOR = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3"}.get(platform.machine(), "generic")

# begins a line of `objects.py` that names no kernel
ASIDE = "! "

TYPES = {"f": "NPY_DOUBLE", "s": "NPY_FLOAT", "i": "NPY_INT64", "b": "NPY_INT8", "u": "NPY_UINT64", "t": "NPY_BOOL"}
NUMBERS = {"f": "double", "i": "int64_t", "u": "uint64_t", "t": "uint8_t"}
TAKES = {"f": "take_float", "i": "take_int", "u": "take_unsigned", "t": "take_truth"}
GIVES = {
    "f": "PyFloat_FromDouble({})",
    "i": "PyLong_FromLongLong({})",
    "u": "PyLong_FromUnsignedLongLong({})",
    "t": "PyBool_FromLong({})",
}


def symbol_of(name: str) -> str:
    """The C name of an entry or of a function of sizes."""
    return "forearm_" + name.replace(".", "_")


def names_of(group: str) -> list[str]:
    """What a group or a piece compiles: entries of the border or, for "sizes", the functions of sizes."""
    if group in PIECES:
        return list(PIECES[group])
    if group == "sizes":
        return [f"{module}.{name}" for name, module in border.SIZES.items()]
    return list(border.GROUPS[group])


def object_name(group: str) -> str:
    """The file of a group's object."""
    return f"{group.replace(' ', '_')}.o"


def write_shim() -> str:
    """The C text of the extension module."""
    parts = [HEAD]
    for name in border.SIZES:
        parts.append(size_function(name))
    for name in border.ENTRIES:
        parts.append(entry_function(name, symbol_of(name)))
    parts.append(FEATURES)
    parts.append(module_table())
    return "\n".join(parts)


def kernel_of(name: str):
    """The Python function behind an entry."""
    module, _, function = name.rpartition(".")
    kernel = getattr(importlib.import_module(f"forearm.core.{module}"), function)
    return getattr(kernel, "py_func", kernel)


def size_function(name: str) -> str:
    """A C function of whole numbers for a function of sizes; a size that is not known gives one nothing meets."""
    kernel = kernel_of(f"{border.SIZES[name]}.{name}")
    count = kernel.__code__.co_argcount
    symbol = symbol_of(f"{border.SIZES[name]}.{name}")
    arguments = ", ".join(f"int64_t a{i}" for i in range(count)) or "void"
    extern = "".join(", int64_t" for _ in range(count))
    known = " || ".join(f"a{i} < 0" for i in range(count)) or "0"
    given = "".join(f", a{i}" for i in range(count))
    return (
        f"extern int {symbol}(int64_t *, void **{extern});\n"
        f"static int64_t {name}({arguments}) {{\n"
        f"    int64_t size = 0;\n    void *fault = NULL;\n"
        f"    return {known} || {symbol}(&size, &fault{given}) || size < 0 ? INT64_MAX / 8 : size;\n}}"
    )


def entry_function(name: str, symbol: str) -> str:
    """The C function that Python calls for an entry."""
    arguments, returns = border.arguments_of(name), border.returns_of(name)
    parameters = list(inspect.signature(kernel_of(name)).parameters)
    lines = [prototype(symbol, arguments)]
    lines.append(f"static PyObject *call_{symbol}(PyObject *self, PyObject *const *args, Py_ssize_t count) {{")
    quoted = ", ".join(f'"{parameter}"' for parameter in parameters)
    wants = ", ".join(f"{{{TYPES[a.letter]}, {len(a.sizes)}, {int(a.written)}}}" for a in arguments)
    lines.append(f"    static const char *const names[] = {{{quoted}}};")
    lines.append(f"    static const Want wants[] = {{{wants}}};")
    lines.append(f'    if (!take("{name}", names, wants, {len(arguments)}, args, count)) return NULL;')
    for i, argument in enumerate(arguments):
        if not argument.sizes:
            lines.append(f"    {NUMBERS[argument.letter]} v{i};")
            lines.append(f'    if (!{TAKES[argument.letter]}("{name}", names[{i}], args[{i}], &v{i})) return NULL;')
    lines += size_checks(name, arguments)
    lines.append(f"    {result_struct(returns)} result;\n    void *fault = NULL;\n    int status;")
    lines.append("    memset(&result, 0, sizeof result);")
    lines.append("    Py_BEGIN_ALLOW_THREADS")
    lines.append(
        f"    status = {symbol}({', '.join(['&result', '&fault', *map(passed, range(len(arguments)), arguments)])});"
    )
    lines.append("    Py_END_ALLOW_THREADS")
    lines.append(f'    if (status) return failed("{name}");')
    lines.append(f"    return {given_back(returns)};\n}}")
    return "\n".join(lines)


def prototype(symbol: str, arguments) -> str:
    """The declaration of a kernel."""
    kinds = ["void *", "void **"]  # where the result goes, and a fault that no kernel has
    for argument in arguments:
        if argument.sizes:
            kinds += ["void *", "void *", "int64_t", "int64_t", "void *", *["int64_t"] * (2 * len(argument.sizes))]
        else:
            kinds.append(NUMBERS[argument.letter])
    return f"extern int {symbol}({', '.join(kinds)});"


def result_struct(returns: str) -> str:
    """The C type of what a kernel returns."""
    if len(returns) <= 1:
        return NUMBERS[returns] if returns else "int64_t"
    return "struct { " + " ".join(f"{NUMBERS[letter]} r{i};" for i, letter in enumerate(returns)) + " }"


def passed(i: int, argument) -> str:
    """How argument i is handed to a kernel."""
    if not argument.sizes:
        return f"v{i}"
    axes = range(len(argument.sizes))
    return ", ".join([f"HEAD_OF({i})", *(f"S({i}, {k})" for k in axes), *(f"T({i}, {k})" for k in axes)])


def given_back(returns: str) -> str:
    """The Python object of what a kernel returned."""
    if not returns:
        return "Py_NewRef(Py_None)"
    if len(returns) == 1:
        return GIVES[returns].format("result")
    codes = "N" * len(returns)
    values = (GIVES[letter].format(f"result.r{i}") for i, letter in enumerate(returns))
    return f'Py_BuildValue("({codes})", {", ".join(values)})'


def size_checks(name: str, arguments) -> list[str]:
    """Statements that bind the names of sizes where they are first met, then check all others."""
    lines, bound = [], {}
    for i, argument in enumerate(arguments):
        for k, size in enumerate(argument.sizes):
            key = size.partition(">=")[0]
            if key.isidentifier() and key != "_" and key not in bound:
                bound[key] = (i, k)
                lines.append(f"    const int64_t {key} = S({i}, {k});")
    for i, argument in enumerate(arguments):
        for key, place in argument.reads.items():
            if key in bound:
                raise ValueError(f"{name}: {key} is both a size and a number in an array")
            bound[key] = (i, None)
            carries = "carried" if len(place) == 1 else "named"
            lines.append(f"    const int64_t {key} = {carries}(A({i}), {', '.join(map(str, place))});")
    for i, argument in enumerate(arguments):
        checks = [
            check
            for k, size in enumerate(argument.sizes)
            if bound.get(size) != (i, k) and (check := check_of(name, size, f"S({i}, {k})", bound))
        ]
        if checks:
            asked = ", ".join(argument.sizes)
            lines.append(
                f'    if (!({" && ".join(checks)})) return refuse_size("{name}", names[{i}], args[{i}], "{asked}");'
            )
    return lines


def check_of(name: str, size: str, seen: str, bound) -> str:
    """The C condition that a size meets its rule, or an empty string for any size."""
    if size == "_":
        return ""
    if ">=" in size:
        return f"{seen} >= {expression(name, size.partition('>=')[2], bound)}"
    return "(" + " || ".join(f"{seen} == {expression(name, part, bound)}" for part in size.split("|")) + ")"


def expression(name: str, text: str, bound) -> str:
    """An expression of sizes, vetted: numbers, bound names, sums, products and known functions; C reads it as it is."""
    for node in ast.walk(ast.parse(text, mode="eval")):
        if isinstance(node, ast.Name) and node.id not in bound and node.id not in border.SIZES:
            raise ValueError(f"{name}: '{node.id}' in '{text}' is neither a bound size nor in SIZES")
        allowed = (ast.Expression, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Call)
        if not isinstance(node, allowed):
            raise ValueError(f"{name}: '{text}' holds more than sums and products")
    return f"({text})"


def module_table() -> str:
    """The table of functions and the module's start."""
    rows = []
    for name in border.ENTRIES:
        parameters = ", ".join(inspect.signature(kernel_of(name)).parameters)
        plain = name.replace(".", "_")
        doc = re.sub(r'[\\"]', "", border.ENTRIES[name])
        rows.append(
            f'    {{"{plain}", (PyCFunction)(void (*)(void))call_forearm_{plain}, METH_FASTCALL, '
            f'"{plain}({parameters}, /)\\n--\\n\\n{name}: {doc}"}},'
        )
    return MODULE.replace("ROWS", "\n".join(rows))


MODULE = """
static PyMethodDef methods[] = {
ROWS
    {"missing_features", missing_features, METH_NOARGS, "What this processor lacks of what the kernels need."},
    {NULL, NULL, 0, NULL}
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernels", "Kernels of forearm.core, compiled ahead of time.", -1, methods,
    NULL, NULL, NULL, NULL
};

PyMODINIT_FUNC PyInit__kernels(void) {
    import_array();
    return PyModule_Create(&definition);
}
"""
