import Cairn
import CairnTestSupport

/// What a context of the notes' model should show: changes that are made to a context are made here, too.
///
/// For tests that change a context themselves and want to know what it should show. Tests of whole
/// sequences of saves, undo and children use ``NaiveWorld``, which has such graphs for each context.
package struct GraphOracle: Sendable {
    private var graph = NaiveGraph()
    /// How many changes were made.
    private var serial = 0

    package init() {}

    /// Makes one random change here and in the context.
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

    /// Compares everything that the context shows, both ends of each relationship.
    package func check(_ context: ManagedObjectContext) throws { try context.compare(with: graph) }
}
