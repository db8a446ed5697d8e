import CairnLMDB
import CairnModel
import CairnStore
import Testing

/// Each index is an LMDB table, and the maximum number of tables is fixed when the file is opened.
@Suite struct `A model with hundreds of indexes` {
    @Test func `creates a store that can be opened again`() throws {
        var entity = EntityDescription(
            "Asset", (0..<300).map { .attribute("value\($0)", .integer64) })
        entity.fetchIndexes = (0..<300).map {
            FetchIndexDescription("by\($0)", elements: [.init("value\($0)")])
        }
        let fixture = try LMDBFixture(ModelDescription([entity]))

        try fixture.open().close()
        let store = try fixture.open(creates: false)
        let count = try store.snapshot().count(FetchPlan(entity: fixture.entity("Asset")))

        #expect(count == 0)
        try store.close()
    }
}
