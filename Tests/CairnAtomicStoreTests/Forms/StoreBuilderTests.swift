import CairnEngineKit
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Testing

@testable import CairnAtomicStore

/// Adding whole hierarchies of rows, as a codec does that stores packed rows.
@Suite struct `Loading a hierarchy into a store` {
    private let request: OpenRequest
    private var store: StoreBuilder

    init() throws {
        var shape = EntityDescription("Shape", [.attribute("size", .integer64)])
        shape.isAbstract = true
        let model = try ManagedObjectModel([
            shape, EntityDescription("Circle", superentity: "Shape"),
            EntityDescription("Square", superentity: "Shape"),
            EntityDescription(
                "Label", [.toOne("shape", "Circle"), .attribute("text", .string)]),
        ])
        request = OpenRequest(location: .memory("shapes"), model: model)
        store = StoreBuilder(
            StoreMetadata(creating: "Test", model: model), try TableSchema(request), request)
    }

    private func entity(_ name: String) throws -> Entity {
        try #require(request.model.entity(named: name))
    }

    /// Returns rows with the given entities, keys and versions.
    private func rows(
        _ parts: (name: String, key: Int64, version: Int64)..., in number: StoreNumber? = nil
    ) throws -> RowBatch {
        var writer = RowWriter(store: number ?? store.number)
        for part in parts {
            writer.begin(
                request.layouts.layout(of: try entity(part.name)), key: part.key,
                version: part.version)
            writer.endRow()
        }
        return writer.takeBatch()
    }

    /// Returns the position and the reason for which a batch is refused.
    private func refusal(
        _ rows: RowBatch, _ store: inout StoreBuilder
    ) throws -> (position: String, detail: String) {
        let root = try entity("Shape")
        do throws(StoreError) {
            try store.load(rows, of: root, from: "byte 7")
        } catch .corrupt(_, let position, let detail) {
            return (position, detail)
        }
        return ("", "")
    }

    @Test func `keeps the rows of all calls`() throws {
        var store = store
        let shape = try entity("Shape")

        try store.load(rows(("Circle", 1, 1), ("Square", 4, 2)), of: shape)
        try store.load(RowBatch(), of: shape)
        try store.load(rows(("Circle", 9, 1)), of: shape)

        #expect(store.content.rows.map(\.key) == [1, 4, 9])
        #expect(store.content.table.count(of: try entity("Circle").hierarchyNumbers) == 2)
    }

    @Test func `refuses a key that is not above those of earlier calls`() throws {
        var store = store
        try store.load(rows(("Circle", 5, 1)), of: try entity("Shape"))

        let again = try refusal(rows(("Square", 5, 1)), &store)
        let descending = try refusal(rows(("Square", 8, 1), ("Circle", 7, 1)), &store)

        #expect(again.position == "byte 7")
        #expect(
            again.detail == "Square 5: its key is not greater than 5, the key of the previous row")
        #expect(
            descending.detail
                == "Circle 7: its key is not greater than 8, the key of the previous row")
        #expect(store.content.rows.map(\.key) == [5])
    }

    @Test func `refuses values that no save can have written`() throws {
        var store = store

        let details = [
            try refusal(rows(("Circle", 0, 1)), &store),
            try refusal(rows(("Circle", 1, 0)), &store),
            try refusal(rows(("Shape", 1, 1)), &store),
            try refusal(rows(("Circle", 1, 1), ("Label", 2, 1)), &store),
            try refusal(rows(("Circle", 1, 1), in: StoreNumber(rawValue: 9999)), &store),
        ].map(\.detail)

        #expect(
            details == [
                "Circle 0: its key is not greater than 0",
                "Circle 1: its version is not greater than 0",
                "Shape 1: its entity is abstract",
                "Label 2: its entity does not inherit from “Shape”",
                "Circle 1: its ID belongs to another store",
            ])
        #expect(store.content.rows.isEmpty)
    }

    @Test func `refuses a reference to an object of another entity`() throws {
        var store = store
        let (label, square) = (try entity("Label"), try entity("Square"))
        let layout = request.layouts.layout(of: label)
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: 1, version: 1)
        writer.set(key: 3, entity: square.number, at: try #require(layout.slot(named: "shape")))
        writer.endRow()

        let error = #expect(throws: StoreError.self) {
            try store.load(writer.takeBatch(), of: label)
        }

        guard case .corrupt(_, "Label 1", let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "Label 1: “Label.shape” leads to an object of another entity")
    }
}
