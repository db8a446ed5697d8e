import Cairn
import CairnBinary
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import StoreFileSupport
import Testing

@Suite(.enabled(if: Corpus.isThere)) struct `Real stores in whole files` {
    @Test(arguments: Corpus.wholeStorePaths)
    func `produce the same dump from SQLite to XML to binary`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let file = try Corpus.copy(path, into: folder.url)
        // Stores written before iOS 9 contain no model, without which their rows cannot be interpreted.
        guard let description = try SQLiteStore.model(at: .file(file)) else { return }
        let hashes = try SQLiteStore.metadata(at: .file(file)).entityVersionHashes
        let model = try ManagedObjectModel(description, recordedHashes: hashes)
        let (xml, binary) = (folder.file("copy.xml"), folder.file("copy.binary"))
        let wanted = try dump(file)
        let counts = try counts(file, model)

        try copy(SQLiteStore.self, file, XMLStore.self, xml, model)
        try copy(XMLStore.self, xml, BinaryStore.self, binary, model)

        #expect(try dump(xml) == wanted)
        #expect(try dump(binary) == wanted)
        for copy in [xml, binary] {
            let engine = try #require(StoreRegistry.builtIn.engine(recognizing: .file(copy)))
            #expect(try engine.entityCounts(at: .file(copy)) == counts)
            let copied = try engine.metadata(at: .file(copy)).entityVersionHashes
            #expect(copied == hashes)
        }
    }

    private func copy(
        _ from: any PersistentStore.Type, _ source: URL, _ to: any PersistentStore.Type,
        _ target: URL, _ model: ManagedObjectModel
    ) throws {
        let old = try from.open(
            OpenRequest(
                location: .file(source), model: model, isReadOnly: true, createsMissing: false))
        let new = try to.open(OpenRequest(location: .file(target), model: model))
        try StoreCopier(source: old, target: new).copy()
        try old.close()
        try new.close()
    }

    private func counts(_ file: URL, _ model: ManagedObjectModel) throws -> [String: Int] {
        let store = try SQLiteStore.open(
            OpenRequest(
                location: .file(file), model: model, isReadOnly: true, createsMissing: false))
        defer { try? store.close() }
        return try store.entityCounts()
    }

    private func dump(_ file: URL) throws -> Data {
        let run = try ToolRun(["store", "dump", file.path])
        #expect(run.exitCode == 0, "\(run.errorText)")
        return run.output
    }
}

@Suite(.enabled(if: Corpus.isThere)) struct `Core Data's own XML stores` {
    static let paths = Corpus.all { $0.lastPathComponent == "xcmapping.xml" }.map(\.path)

    private func copy(_ path: String, _ folder: TemporaryFolder) throws -> StoreLocation {
        let file = folder.file("xcmapping.xml")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: file.path)
        return .file(file)
    }

    /// Writes the hashes of another model into a file. Apple's own model of these files is not public, so
    /// ours is reconstructed from the files.
    private func record(_ model: ManagedObjectModel, in location: StoreLocation) throws {
        let file = try #require(location.fileURL)
        var text = try String(contentsOf: file, encoding: .utf8)
        let recorded = try XMLStore.metadata(at: location).entityVersionHashes
        for (name, hash) in recorded {
            let ours = try #require(model.entity(named: name)).versionHash
            text = text.replacingOccurrences(
                of: hash.data.base64EncodedString(), with: ours.data.base64EncodedString())
        }
        try Data(text.utf8).write(to: file)
    }

    @Test(arguments: paths)
    func `contain their metadata and the expected number of objects`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let location = try copy(path, folder)
        let text = try String(contentsOfFile: path, encoding: .utf8)

        let metadata = try XMLStore.metadata(at: location)
        let counts = try XMLStore.entityCounts(at: location)

        #expect(text.contains("<UUID>\(metadata.identifier)</UUID>"))
        #expect(metadata.entityVersionHashes.count == 5)
        let objects = text.components(separatedBy: "<object ").count - 1
        #expect(counts.values.reduce(0, +) == objects)
        #expect(Set(counts.keys) == Set(metadata.entityVersionHashes.keys))
        #expect(try XMLStore.model(at: location) == nil)
        let engine = StoreRegistry.builtIn.engine(recognizing: location)
        #expect(engine?.type == "XML")
    }

    @Test(arguments: paths)
    func `are dumped without a model as a plain reading of the text shows them`(
        _ path: String
    ) throws {
        let wanted = try PlainReading(path)

        let info = try ToolRun(["store", "info", path, "--json"])
        let dump = try ToolRun(["store", "dump", path])
        let verify = try ToolRun(["store", "verify", path])

        #expect(info.exitCode == 0, "\(info.errorText)")
        #expect(verify.exitCode == 0, "\(verify.errorText)")
        #expect(dump.exitCode == 0, "\(dump.errorText)")
        let found = try PlainReading(dump: dump.output)
        #expect(found.objects.count == wanted.objects.count)
        for (name, values) in wanted.objects where found.objects[name] != values {
            Issue.record("\(name): \(found.objects[name] ?? [:]) instead of \(values)")
        }
    }

    @Test(arguments: paths)
    func `are queried without a model, by the names in the file`(_ path: String) throws {
        let wanted = try PlainReading(path).objects.filter {
            $0.key.hasPrefix("XDDEVENTITYMAPPING/")
        }

        let names = try ToolRun([
            "store", "query", path, "--entity", "XDDevEntityMapping", "--where",
            "mappingmodel != nil AND autogenerateexpression == YES", "--count",
        ])

        let count = wanted.values.count {
            $0["mappingmodel"] != nil && $0["autogenerateexpression"] == ["1"]
        }
        #expect(names.exitCode == 0, "\(names.errorText)")
        #expect(String(decoding: names.output, as: UTF8.self) == "\(count)\n")
    }

    @Test func `are read, but not written, with a model derived from their content`() throws {
        let folder = try TemporaryFolder()
        let location = try copy(try #require(Self.paths.first), folder)
        let model = try ManagedObjectModel(
            try #require(try XMLStore.derivedModel(at: location)))

        let error = #expect(throws: StoreError.self) {
            try XMLStore.open(OpenRequest(location: location, model: model))
        }
        let copying = try ToolRun([
            "store", "copy", folder.file("xcmapping.xml").path, folder.file("copy").path, "--type",
            "SQLite",
        ])

        #expect(error?.description.contains("derived from its objects") == true)
        #expect(copying.exitCode == 1)
        #expect(copying.errorText.contains("--model"))
    }

    @Test(arguments: paths)
    func `can be opened with a model and written, and keep their contents`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let location = try copy(path, folder)
        let model = try ManagedObjectModel(MappingModel.entities)
        #expect(throws: StoreError.self) {
            try XMLStore.open(OpenRequest(location: location, model: model))
        }
        try record(model, in: location)
        let counts = try XMLStore.entityCounts(at: location)
        let store = try XMLStore.open(OpenRequest(location: location, model: model))
        let before = try SampleModel.readAll(store)

        let save = try store.beginSave()
        try save.prepare(SaveRequest(metadata: ["touched": true]))
        _ = try save.commit()
        try store.close()

        let reopened = try XMLStore.open(OpenRequest(location: location, model: model))
        #expect(try SampleModel.readAll(reopened) == before)
        #expect(try reopened.entityCounts() == counts)
        #expect(try reopened.metadata().values["touched"] == true)
        let ids = { (text: String) in
            Set(text.components(separatedBy: " id=\"").dropFirst().map { $0.prefix { $0 != "\"" } })
        }
        let written = try String(
            contentsOf: try #require(location.fileURL), encoding: .utf8)
        #expect(ids(written) == ids(try String(contentsOfFile: path, encoding: .utf8)))
        #expect(try XMLStore.model(at: location) != nil)
    }
}
