import Workloads

/// The engines that a benchmark program can measure, by their types.
struct MeasuredEngines {
    /// The engines outside of Cairn, in the order in which the program names them.
    var outside: [String] = []

    /// All engines, starting with those outside of Cairn.
    var all: [String] { outside + Settings.engines }

    /// The engines that are measured by default. A program with engines of its own measures only these.
    var standard: [String] { outside.isEmpty ? Settings.engines : outside }

    /// Returns the type with this name, ignoring case, or `nil` if there is no such type.
    func type(named name: String) -> String? {
        all.first { $0.lowercased() == name.lowercased() }
    }
}
