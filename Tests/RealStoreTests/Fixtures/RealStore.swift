import Cairn
import CairnTestSupport
import Foundation
import Testing

/// A store as a user of the tool has it, with the model with which it was written if the store does not
/// contain one.
struct RealStore {
    let url: URL
    let type: StoreType
    private let modelURL: URL?

    init(_ url: URL, _ type: StoreType = .sqlite, model: URL? = nil) {
        self.url = url
        self.type = type
        modelURL = model
    }

    /// Copies a store of the corpus.
    init(_ path: String, in folder: TemporaryFolder) throws {
        let url = try Corpus.copy(path, into: folder.url)
        self.url = url
        type = .sqlite
        if try SQLiteStore.model(at: .file(url)) != nil {
            modelURL = nil
        } else {
            let hashes = try SQLiteStore.metadata(at: .file(url)).entityVersionHashes
            modelURL = Corpus.models(beside: path).first { candidate in
                let model = try? ManagedObjectModel(contentsOf: candidate)
                return model?.entityVersionHashes == hashes
            }
        }
    }

    /// Returns the store's model, or `nil` if it is not available.
    func model() throws -> ManagedObjectModel? {
        if let modelURL { return try ManagedObjectModel(contentsOf: modelURL) }
        let location = StoreLocation.file(url)
        let engine = try StoreRegistry.builtIn.fileEngine(ofType: type, for: location)
        guard let description = try engine.model(at: location) else { return nil }
        return try ManagedObjectModel(
            description, recordedHashes: engine.metadata(at: location).entityVersionHashes)
    }

    /// Edits the store, by default with its own model, and returns a log of the edits.
    @discardableResult
    func edit(
        with model: ManagedObjectModel? = nil,
        _ body: @Sendable (inout StoreEdit) throws -> Void
    ) throws -> StoreEdit.Log {
        let own = try self.model()
        let model = try #require(model ?? own)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(ofType: type, at: url)
        let log = try ContextHandle(source: coordinator).performAndWait { context in
            var edit = StoreEdit(context)
            try body(&edit)
            return edit.log
        }
        try coordinator.remove(added)
        return log
    }

    private var arguments: [String] {
        [url.path] + (modelURL.map { ["--model", $0.path] } ?? [])
    }

    /// Returns every object as a line without null values. Values whose files are missing are reported, and
    /// treated as null.
    func dump() throws -> [String] {
        let run = try ToolRun(
            ["store", "dump", "--dates", "raw", "--allow-missing-external-data"] + arguments)
        #expect(run.exitCode == 0, "\(run.errorText)")
        let strict = run.errorText.isEmpty
        guard !strict else {
            return run.text.split(separator: "\n").map(String.init)
        }
        let refused = try ToolRun(["store", "dump", "--dates", "raw"] + arguments)
        #expect(refused.exitCode == 1)
        #expect(refused.output == run.output)
        let null = /"[^"]*":null,?/
        return run.text.split(separator: "\n").map {
            String($0).replacing(null, with: "").replacing(",}", with: "}")
        }
    }

    /// Returns the same store, to be opened with another model.
    func with(model: URL) -> RealStore { RealStore(url, type, model: model) }

    func copy(to destination: URL, _ type: String) throws {
        let copy = ["store", "copy"] + arguments + [destination.path, "--type", type]
        var run = try ToolRun(copy)
        if run.errorText.contains("--allow-missing-external-data") {
            run = try ToolRun(copy + ["--allow-missing-external-data"])
            #expect(run.errorText.contains("is missing"))
        } else {
            // No progress is written if standard error is not a terminal.
            #expect(run.errorText.isEmpty)
        }
        #expect(run.exitCode == 0, "\(run.errorText)")
    }

    /// Returns the lines that `verify` prints, sorted.
    func problems() throws -> [String] {
        let run = try ToolRun(["store", "verify", "--limit", "100000"] + arguments)
        return run.exitCode == 0 ? [] : run.text.split(separator: "\n").map(String.init).sorted()
    }
}
