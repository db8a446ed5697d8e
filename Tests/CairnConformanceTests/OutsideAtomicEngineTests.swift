import Cairn
import CairnStore
import CairnTestSupport
import FolderStore
import Foundation
import Testing

@testable import CairnTool

/// What can be found out about a closed store whose engine is not built in.
@Suite struct `Closed store of an outside engine` {
    private let folder: TemporaryFolder
    private let url: URL
    private let model: ManagedObjectModel

    init() throws {
        PersistentStoreCoordinator.registerStoreClass(FolderStore.self, type: "Folder")
        folder = try TemporaryFolder()
        url = folder.file("library")
        model = try ManagedObjectModel([
            EntityDescription("Author", [.attribute("name", .string)]),
            EntityDescription("Book", [.attribute("title", .string)]),
        ])
        let store = try open()
        try save(["Orlando", "The Waves"], to: store)
        try store.close()
    }

    private var location: StoreLocation { .file(url) }
    private var mainFile: URL { url.appending(path: "store.json") }

    private func open() throws -> FolderStore {
        try FolderStore.open(OpenRequest(location: location, model: model))
    }

    private func save(_ titles: [String], to store: FolderStore) throws {
        let book = try #require(model.entity(named: "Book"))
        let layout = store.request.layouts.layout(of: book)
        let save = try store.beginSave()
        let keys = try #require(try save.reserveKeys([book.number: titles.count])[book.number])
        var writer = RowWriter(store: store.number)
        for (key, title) in zip(keys, titles) {
            writer.begin(layout, key: key, version: 1)
            try writer.set(title, at: layout.slots[0])
            writer.endRow()
        }
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
    }

    @Test func `contains the model that it was written with`() throws {
        let description = try #require(try FolderStore.model(at: location))

        let inside = try ManagedObjectModel(description)

        #expect(inside.entityVersionHashes == model.entityVersionHashes)
    }

    @Test func `can be described by the tool, which has no model`() throws {
        let store = try ToolStore(StoreArguments.parse([url.path]))

        #expect(store.metadata.type == "Folder")
        #expect(try store.entityCounts() == ["Author": 0, "Book": 2])
        #expect(try store.model().entity(named: "Book") != nil)
    }

    @Test func `opens if it was written without a model, and has one after the next save`() throws {
        let text = try String(contentsOf: mainFile, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.contains("\"modelArchive\"") }
        #expect(lines.count == text.split(separator: "\n").count - 1)
        try Data(lines.joined(separator: "\n").utf8).write(to: mainFile)
        #expect(try FolderStore.model(at: location) == nil)

        let store = try open()
        try save(["The Years"], to: store)
        try store.close()

        #expect(try FolderStore.model(at: location) != nil)
        #expect(try FolderStore.entityCounts(at: location)["Book"] == 3)
    }

    @Test func `is recognized even if it is damaged`() throws {
        let bytes = try Data(contentsOf: mainFile)
        try bytes.prefix(bytes.count / 2).write(to: mainFile)

        let error = #expect(throws: StoreError.self) { try FolderStore.metadata(at: location) }

        #expect(FolderStore.recognizes(location))
        #expect(try StoreRegistry.builtIn.type(ofStoreAt: location) == "Folder")
        guard case .corrupt(_, "store.json", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `is not confused with another program's folder`() throws {
        try Data("{ \"format\" : \"shop\" }".utf8).write(to: mainFile)

        let errors = [
            #expect(throws: StoreError.self) { try FolderStore.metadata(at: location) },
            #expect(throws: StoreError.self) { try open() },
        ]

        #expect(!FolderStore.recognizes(location))
        for error in errors {
            guard case .notAStore(_, "Folder", let found)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(found == "a folder whose “store.json” is another kind of file")
        }
    }
}
