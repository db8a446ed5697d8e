import Workloads

/// The engines that a benchmark program can measure, by their types.
struct MeasuredEngines {
    /// The engines that were written outside of Cairn, in the order in which the program names them.
    var outside: [String] = []

    /// All engines: those written outside first.
    var all: [String] { outside + Settings.engines }

    /// The engines that are measured unless the arguments name some: a program that has engines of its
    /// own measures only these.
    var standard: [String] { outside.isEmpty ? Settings.engines : outside }

    /// Returns the type with this name, ignoring case. Returns `nil` if there is none.
    func type(named name: String) -> String? {
        all.first { $0.lowercased() == name.lowercased() }
    }
}
