import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// The file or folder that an ``AtomicCodec`` reads and writes.
struct CodecForm: StoredForm {
    let type: StoreType
    private let codec: any AtomicCodec

    init(_ codec: any AtomicCodec, of type: StoreType) {
        self.codec = codec
        self.type = type
    }

    // MARK: Reading

    /// Reads what the store at the place says of itself.
    ///
    /// - Throws: `.notFound`, `.notAStore`, `.unsupported`, `.corrupt`, `.fileFailure`.
    func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        let file = try place(location)
        let main: [UInt8]
        if let name = codec.mainFile {
            main = try translating(location) { () throws(FileFailure) in
                try DurableFolder(file).read(name)
            }
        } else {
            main = try FileInspection(file, at: location, expected: type).allBytes()
        }
        return try codec.metadata(main, at: location)
    }

    func load(
        _ file: DurableFile, _ schema: TableSchema, _ request: OpenRequest
    ) throws(StoreError) -> LoadedStore {
        let (files, held, stamp) = try read(file, at: request.location)
        let metadata = try codec.metadata(files.main, at: request.location)
        try CompatibilityCheck(
            request: request, stored: metadata.entityVersionHashes, cachedModel: nil
        ).run()
        var builder = StoreBuilder(metadata, schema, request)
        try codec.decode(files, into: &builder)
        return LoadedStore(content: builder.content, held: held, stamp: stamp)
    }

    private func read(
        _ file: DurableFile, at location: StoreLocation
    ) throws(StoreError) -> (StoreFiles, HeldFile, FileStamp) {
        guard let name = codec.mainFile else {
            let inspection = FileInspection(file, at: location, expected: type)
            let (bytes, held, stamp) = try inspection.readAll()
            return (StoreFiles(main: bytes), held, stamp)
        }
        let found = try translating(location) { () throws(FileFailure) in
            try DurableFolder(file).readAll(whereThereIs: name)
        }
        var others = found.files
        guard let main = others.removeValue(forKey: name) else {
            throw .notAStore(location, expected: type, found: "a folder without “\(name)”")
        }
        return (StoreFiles(main: main, others: others), found.held, found.stamp)
    }

    // MARK: Writing

    func prepare(
        _ content: AtomicContent, as file: DurableFile
    ) throws(StoreError) -> PendingFile {
        let files = try codec.encode(content)
        do throws(FileFailure) {
            guard let name = codec.mainFile else { return try file.prepare(files.main) }
            return try DurableFolder(file).prepare(
                files.others.merging([name: files.main]) { _, main in main })
        } catch {
            throw .fileFailure(error)
        }
    }

    // MARK: Errors

    /// Where the store is.
    ///
    /// - Throws: `.unsupported` for a location that is no file.
    private func place(_ location: StoreLocation) throws(StoreError) -> DurableFile {
        guard let url = location.fileURL else {
            throw .unsupported(
                location, feature: "no file", advice: "Give a URL for a store of type \(type).")
        }
        return DurableFile(url)
    }

    /// Tells a store that is not there from one that is something else.
    private func translating<T>(
        _ location: StoreLocation, _ body: () throws(FileFailure) -> T
    ) throws(StoreError) -> T {
        do throws(FileFailure) {
            return try body()
        } catch {
            let exists = location.fileURL.map { access($0.path, F_OK) == 0 } ?? false
            switch error.code {
            case ENOENT where !exists: throw .notFound(location)
            case ENOENT:
                throw .notAStore(
                    location, expected: type,
                    found: "a folder without “\(codec.mainFile ?? "")”")
            case ENOTDIR where exists:
                throw .notAStore(location, expected: type, found: "a file, not a folder")
            case ENOTDIR: throw .notFound(location)
            default: throw .fileFailure(error)
            }
        }
    }
}
