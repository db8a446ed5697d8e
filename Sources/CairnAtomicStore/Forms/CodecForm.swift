import CairnEngineKit
import CairnFiles
import CairnModel
import CairnModelArchive
import CairnStore
import Foundation
import Synchronization

/// Reads and writes the file or folder of a codec's store.
struct CodecForm: Sendable {
    /// The engine's type.
    let type: StoreType
    private let codec: any AtomicCodec

    init(_ codec: any AtomicCodec, of type: StoreType) {
        self.codec = codec
        self.type = type
    }

    /// Returns the file or folder of a store.
    ///
    /// - Throws: `.unsupported` if the location is not a file.
    func file(at location: StoreLocation) throws(StoreError) -> DurableFile {
        guard let url = location.fileURL else {
            throw .unsupported(
                location, feature: "no file",
                advice: "Pass the URL of a file for a store of type \(type).")
        }
        return DurableFile(url)
    }

    // MARK: Stores that are not open

    /// Returns whether the codec recognizes a store at the location.
    func recognizes(_ location: StoreLocation) -> Bool {
        do {
            return codec.recognizes(try requireBeginning(at: location))
        } catch {
            return false
        }
    }

    /// Reads the store's head. Reads no more of the file than the codec needs for the head.
    func head(at location: StoreLocation) throws(StoreError) -> any AtomicHead {
        let beginning = try requireBeginning(at: location)
        if codec.mainFile == nil, let head = try headBytes(beginning, at: location) {
            return try codec.head(head, at: location)
        }
        return try wholeHead(at: location)
    }

    /// Reads the store's head from the whole main file.
    func wholeHead(at location: StoreLocation) throws(StoreError) -> any AtomicHead {
        try codec.head(main(at: location), at: location)
    }

    /// Returns the first bytes of the file, as many as the codec needs to read the head. Returns `nil` if the
    /// codec needs the whole file, or if the file is shorter than that.
    private func headBytes(
        _ beginning: [UInt8], at location: StoreLocation
    ) throws(StoreError) -> [UInt8]? {
        var bytes = beginning
        while let count = try codec.headByteCount(bytes, at: location) {
            if count <= bytes.count { return Array(bytes.prefix(count)) }
            let longer = try FileBeginning(of: location, byteCount: count).bytes ?? []
            // The file is shorter than the codec expects.
            if longer.count < count { return nil }
            bytes = longer
        }
        return nil
    }

    /// Returns the model that a store contains, or `nil` if it contains no model.
    static func model(
        in head: any AtomicHead, at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        guard let archive = head.modelArchive else { return nil }
        do {
            return try ModelCache.decode(Array(archive))
        } catch {
            throw .corrupt(
                location, location: "the model inside, \(error.location)", detail: error.detail)
        }
    }

    /// Returns the model that the codec infers from the store.
    func derivedModel(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try requireBeginning(at: location)
        return try codec.derivedModel(main(at: location), at: location)
    }

    /// Reads the first bytes of the store's file, or of the main file of a folder.
    ///
    /// - Throws: `.notFound`; `.notAStore` if the codec does not accept the bytes; `.fileFailure`.
    @discardableResult
    private func requireBeginning(at location: StoreLocation) throws(StoreError) -> [UInt8] {
        guard let name = codec.mainFile else {
            return try FileBeginning(of: location).require(of: type, codec.begins)
        }
        return try requireMainFile(try main(at: location), name, at: location)
    }

    @discardableResult
    private func requireMainFile(
        _ bytes: [UInt8], _ name: String, at location: StoreLocation
    ) throws(StoreError) -> [UInt8] {
        let beginning = Array(bytes.prefix(FileKind.prefixByteCount))
        if codec.begins(beginning) { return beginning }
        throw .notAStore(
            location, expected: type, found: "a folder whose “\(name)” is another kind of file")
    }

    private func main(at location: StoreLocation) throws(StoreError) -> [UInt8] {
        let file = try file(at: location)
        return try translating(location) { () throws(FileFailure) in
            guard let name = codec.mainFile else { return try file.hold().readAll() }
            return try DurableFolder(file).read(name)
        }
    }

    // MARK: Open stores

    /// Reads the current state of the store.
    func load(
        _ file: DurableFile, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> LoadedStore {
        let (files, held, stamp) = try read(file, at: request.location)
        return LoadedStore(
            content: try codec.content(of: files, schema, request), held: held, stamp: stamp)
    }

    private func read(
        _ file: DurableFile, at location: StoreLocation
    ) throws(StoreError) -> (StoreFiles, HeldFile, FileStamp) {
        guard let name = codec.mainFile else {
            try requireBeginning(at: location)
            return try translating(location) { () throws(FileFailure) in
                let held = try file.hold()
                // Get the stamp before reading, so that a later comparison of stamps detects a change during
                // the read.
                let stamp = try held.stamp()
                return (StoreFiles(main: try held.readAll()), held, stamp)
            }
        }
        let found = try translating(location) { () throws(FileFailure) in
            try DurableFolder(file).readAll(whereThereIs: name)
        }
        var others = found.files
        guard let main = others.removeValue(forKey: name) else {
            throw .notAStore(location, expected: type, found: "a folder without “\(name)”")
        }
        try requireMainFile(main, name, at: location)
        return (StoreFiles(main: main, others: others), found.held, found.stamp)
    }

    /// Writes a state durably to a temporary file or folder beside the store. The store does not
    /// change.
    func prepare(
        _ content: StoreContent, as file: DurableFile
    ) throws(StoreError) -> PendingFile {
        let files = try codec.encode(content)
        do {
            guard let name = codec.mainFile else { return try file.prepare(files.mainParts) }
            return try DurableFolder(file).prepare(
                files.others.merging([name: files.main]) { _, main in main })
        } catch {
            throw .fileFailure(error)
        }
    }

    // MARK: Errors

    /// Translates failures, distinguishing a missing store from a file or folder that is not a
    /// store.
    private func translating<T>(
        _ location: StoreLocation, _ body: () throws(FileFailure) -> T
    ) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            let exists = location.fileURL.map { access($0.path, F_OK) == 0 } ?? false
            switch (error.code, codec.mainFile) {
            case (ENOENT, let name?) where exists:
                throw .notAStore(location, expected: type, found: "a folder without “\(name)”")
            case (ENOTDIR, _?) where exists:
                throw .notAStore(location, expected: type, found: "a file, not a folder")
            case (ENOENT, _), (ENOTDIR, _): throw .notFound(location)
            default: throw .fileFailure(error)
            }
        }
    }
}

extension AtomicCodec {
    /// Reads a whole store with the model of the request.
    fileprivate func content(
        of files: StoreFiles, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> StoreContent {
        let location = request.location
        try checkWhole(files, at: location)
        let head = try head(files.main, at: location)
        let check = CompatibilityCheck(
            request: request, stored: head.metadata.entityVersionHashes,
            cachedModel: try? CodecForm.model(in: head, at: location))
        let comparesHashes = comparesHashes(of: head, with: request.model)
        if comparesHashes { try check.run() }
        var builder = StoreBuilder(head.metadata, schema, request)
        try decode(files, head, into: &builder)
        let content = builder.content
        // A save would write the objects of other configurations as those of the current version.
        if comparesHashes, request.configuration != nil, !request.isReadOnly {
            try check.requireUnchanged(
                request.model.entities.filter { entity in
                    let next = EntityNumber(entity.number.rawValue &+ 1)
                    return entity.number < next && content.table.count(of: entity.number..<next) > 0
                })
        }
        return content
    }
}

/// The archive that was created last, with its model. Most programs open stores of one model only.
private let latestArchive = Mutex<(model: ManagedObjectModel, bytes: Data)?>(nil)

extension StoreContent {
    /// The model in the form that a codec stores as ``AtomicHead/modelArchive``. It is created once and used
    /// for many saves, and only if a save asks for it, because reading does not need it.
    public var modelArchive: Data {
        latestArchive.withLock { latest in
            let model = layouts.model
            if let latest, latest.model === model { return latest.bytes }
            let bytes = Data(ModelCache.encode(model))
            latest = (model, bytes)
            return bytes
        }
    }
}
