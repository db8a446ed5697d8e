import Cairn
import CairnConformance

/// The engines that a benchmark program can measure, and what the program adds to the rows.
struct MeasuredEngines {
    /// The types of the engines that the program names, in its order.
    private(set) var own: [String] = []
    /// The harnesses of these engines, and of the baseline.
    private(set) var harnesses: [any StoreHarness] = []
    private(set) var additions: Additions

    /// Registers the engines of the harnesses.
    init(
        _ own: [any StoreHarness] = [], baseline: (any StoreHarness)? = nil,
        additions: Additions = Additions()
    ) {
        self.own = own.map { $0.engine.type.rawValue }
        harnesses = own + (baseline.map { [$0] } ?? []) + additions.harnesses
        self.additions = additions
        self.additions.baseline = baseline?.engine.type
        for harness in harnesses {
            PersistentStoreCoordinator.registerStoreClass(harness.engine)
        }
    }

    /// All engines, starting with the program's own.
    var all: [String] {
        (own + StoreType.builtIn.map(\.rawValue)
            + additions.harnesses.map { $0.engine.type.rawValue }).uniqued
    }

    /// The engines that are measured by default. A program with engines of its own measures only these.
    var standard: [String] { own.isEmpty ? StoreType.builtIn.map(\.rawValue) : own }

    /// Returns the type with this name, ignoring case, or `nil` if there is no such type.
    func type(named name: String) -> String? {
        all.first { $0.lowercased() == name.lowercased() }
    }
}
