import Cairn
import CairnStore
import CairnTestSupport
import FolderStore
import Foundation
import GraphSupport
import StoreFileSupport
import Testing

/// A small sample store of a whole-file engine, whose bytes tests change.
struct SampleFiles {
    /// Every built-in engine that writes whole files, and an external engine whose stores are folders.
    static let types: [StoreType] = everyWholeFileEngine + ["Folder"]

    let type: StoreType
    let model: ManagedObjectModel
    let location: StoreLocation
    let folder: TemporaryFolder
    private let url: URL
    /// The store's original content, by file name.
    private var original: [String: Data] = [:]

    init(_ type: StoreType) throws {
        self.type = type
        model = try ManagedObjectModel(SampleModel.entities)
        folder = try TemporaryFolder()
        url = folder.file("sample")
        location = .file(url)
        let store = try open()
        try SampleModel.fill(store, count: 6)
        try store.close()
        for name in try names() { original[name] = try Data(contentsOf: folder.file(name)) }
    }

    /// Returns the names of the files in the test's folder.
    private func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter {
            try FileManager.default.attributesOfItem(atPath: folder.file($0).path)[.type]
                as? FileAttributeType == .typeRegular
        }
    }

    /// Restores the store's original content.
    func restore() throws {
        for name in try names() where original[name] == nil {
            try FileManager.default.removeItem(at: folder.file(name))
        }
        for (name, bytes) in original { try bytes.write(to: folder.file(name)) }
    }

    private var engine: any PersistentStore.Type {
        get throws { try PictureModel.registry.engine(ofType: type) }
    }

    func open(isReadOnly: Bool = false) throws -> any PersistentStore {
        try engine.open(OpenRequest(location: location, model: model, isReadOnly: isReadOnly))
    }

    /// Returns the file of the given name in a folder store, or the store's own file if there is no name.
    private func file(_ name: String?) -> URL { name.map { url.appending(path: $0) } ?? url }

    func bytes(_ name: String? = nil) throws -> [UInt8] {
        try Array(Data(contentsOf: file(name)))
    }

    /// Writes the bytes with checksums that match them, as the engine would.
    func write(_ bytes: [UInt8], _ name: String? = nil) throws {
        let sealed = type == .binary ? DamageSubject.vouchedBinary.delivered(bytes) : bytes
        try Data(sealed).write(to: file(name))
    }

    /// Returns the text of an XML document without its checksum, or of a file in a folder store.
    func text(_ name: String? = nil) throws -> String {
        let text = String(decoding: try bytes(name), as: UTF8.self)
        return text.components(separatedBy: "<!-- cairn")[0]
    }

    /// Replaces the first occurrence of a text.
    func replace(_ old: String, with new: String, in name: String? = nil) throws {
        let text = try text(name)
        let range = try #require(text.range(of: old), "“\(old)” is not in the file")
        try write(Array(text.replacingCharacters(in: range, with: new).utf8), name)
    }

    /// Opens the store. Returns the location and the detail of the damage that the error reports.
    func damage() throws -> (location: String, detail: String) {
        let error = #expect(throws: StoreError.self) { try open() }
        guard case .corrupt(_, let location, let detail)? = error else {
            Issue.record("not .corrupt: \(String(describing: error))")
            return ("", "")
        }
        return (location, detail)
    }

    /// Returns a row as a binary file contains it, and its offset.
    func row(_ entity: String, _ key: Int64) throws -> (row: Row, offset: Int) {
        let store = try open(isReadOnly: true)
        defer { try? store.close() }
        let entity = try #require(model.entity(named: entity))
        let id = ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
        let row = try #require(try store.snapshot().row(for: id))
        let offset = try row.withBytes { try #require(Data(try bytes()).range(of: Data($0))) }
        return (row, offset.lowerBound)
    }
}
