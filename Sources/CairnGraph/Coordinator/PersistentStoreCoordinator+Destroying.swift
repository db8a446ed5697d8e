import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Removes a store from the disk, with every file that belongs to it.
    ///
    /// The main file goes first: once it is gone there is no store, whatever happens then.
    ///
    /// - Throws: `.storeAlreadyAdded` while it is in this coordinator; `.store`: `.unknownType`,
    ///   `.notFound`, `.notAStore` (the file is not of that type and not empty; nothing was
    ///   removed), `.fileFailure`.
    public func destroyPersistentStore(
        at url: URL, ofType type: StoreType
    ) throws(GraphError) {
        let location = StoreLocation.file(url.standardizedFileURL)
        if persistentStore(for: url) != nil { throw .storeAlreadyAdded(location) }
        try GraphError.translating { () throws(StoreError) in
            let engine = try registry.engine(ofType: type)
            guard engine.capabilities.isDurable else { return }
            try Self.checkIsStore(url, of: engine, named: type)
            try Self.removeFile(at: url)
            for file in engine.companionFiles(of: location) { try Self.removeFile(at: file.url) }
        }
    }

    private static func checkIsStore(
        _ url: URL, of engine: any PersistentStore.Type, named type: StoreType
    ) throws(StoreError) {
        let location = StoreLocation.file(url.standardizedFileURL)
        guard FileManager.default.fileExists(atPath: url.path) else { throw .notFound(location) }
        if engine.recognizes(location) { return }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.size] as? Int == 0 else {
            throw .notAStore(location, expected: type, found: "something else")
        }
    }

    private static func removeFile(at url: URL) throws(StoreError) {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            throw .fileFailure(
                FileFailure(operation: "unlink", path: url.path, code: error.posixCode))
        }
    }
}

extension Error {
    /// The operating system's code under a Foundation error; EIO where there is none.
    var posixCode: Int32 {
        let underlying = (self as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        return (underlying?.code).flatMap(Int32.init(exactly:)) ?? EIO
    }
}
