import CairnAtomicStore
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Uses the features of the codec protocol that `Examples/FolderStore` does not use.
@Suite struct `Atomic engine of one file` {
    private let folder: TemporaryFolder
    private let url: URL
    private let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("store")
        model = try ManagedObjectModel([EntityDescription("Line")])
        let store = try open()
        let save = try store.beginSave()
        var writer = RowWriter(store: store.number)
        let layout = try #require(store.request.layouts.layout(of: EntityNumber(1)))
        for key in 1...100 as ClosedRange<Int64> {
            writer.begin(layout, key: key, version: 1)
            writer.endRow()
        }
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
        try store.close()
    }

    private var location: StoreLocation { .file(url) }

    private func open() throws -> OneFileEngine {
        try OneFileEngine.open(OpenRequest(location: location, model: model))
    }

    private func corruption(_ body: () throws -> Void) -> String? {
        let error = #expect(throws: StoreError.self) { try body() }
        if case .corrupt(_, let position, _)? = error { return position }
        Issue.record("\(String(describing: error))")
        return nil
    }

    @Test func `keeps its rows`() throws {
        let store = try open()

        let counts = try store.entityCounts()

        #expect(counts == ["Line": 100])
        #expect(try store.metadata().values["given"] != .integer(Int64(LinesHead.byteCount)))
    }

    @Test func `reads only the head of a closed store`() throws {
        let metadata = try OneFileEngine.metadata(at: location)

        #expect(metadata.values["given"] == .integer(Int64(LinesHead.byteCount)))
    }

    @Test func `is checked completely only when it is opened`() throws {
        let bytes = try Data(contentsOf: url)
        try bytes.dropLast().write(to: url)

        let position = corruption { _ = try open() }
        let metadata = try OneFileEngine.metadata(at: location)

        #expect(position == "the end")
        #expect(metadata.type == "Lines")
    }

    @Test func `is recognized with a damaged head`() throws {
        try Data("lines \n".utf8).write(to: url)

        let positions = [
            corruption { _ = try open() },
            corruption { _ = try OneFileEngine.metadata(at: location) },
        ]

        #expect(positions == ["line 1", "line 1"])
        #expect(OneFileEngine.recognizes(location))
    }

    @Test func `cannot be counted while closed if it contains no model`() throws {
        let error = #expect(throws: StoreError.self) {
            try OneFileEngine.entityCounts(at: location)
        }

        #expect(try OneFileEngine.model(at: location) == nil)
        guard case .unsupported(_, "no model inside", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `is not mistaken for a file of another kind`() throws {
        try Data("bplist00".utf8).write(to: url)

        let error = #expect(throws: StoreError.self) { try open() }

        #expect(!OneFileEngine.recognizes(location))
        guard case .notAStore(_, "Lines", "a binary property list")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `has its own options and timeout, and no others`() throws {
        func open(_ option: StoreOption, _ value: MetadataValue) throws -> OneFileEngine {
            try OneFileEngine.open(
                OpenRequest(location: location, model: model, options: [option: value]))
        }

        let store = try open("comment", "mine")

        #expect(store.request.options["comment"] == "mine")
        #expect(throws: Never.self) { try open(.timeout, 3) }
        #expect(throws: StoreError.self) { try open("coment", "mine") }
    }

}
