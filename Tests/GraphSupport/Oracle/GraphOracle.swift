import Cairn
import CairnTestSupport

/// The state that a context with the notes model should show. Changes made to the context are also made here.
///
/// Use this in tests that change a context themselves and need the expected state. Tests of whole sequences
/// of saves, undo and children use ``NaiveWorld``, which contains such a graph for each context.
package struct GraphOracle: Sendable {
    private var graph = NaiveGraph()
    /// The number of changes so far.
    private var serial = 0

    package init() {}

    /// Makes one random change, both here and in the context.
    package mutating func change(
        _ context: ManagedObjectContext, using random: inout SeededRandom
    ) throws {
        serial += 1
        let edit = GraphEdit(using: &random)
        guard let operation = graph.apply(edit, serial: serial) else { return }
        try context.apply(operation) { number in
            try context.only("Item", where: "number == \(number)")
        }
    }

    /// Compares everything that the context shows, including both ends of each relationship.
    package func check(_ context: ManagedObjectContext) throws { try context.compare(with: graph) }
}
