import CairnFiles
import CairnStore
import Foundation

/// Looks at a file that may be a whole-file store, before anything else is done with it.
package struct FileInspection: Sendable {
    private let file: DurableFile
    private let location: StoreLocation
    private let expected: StoreType

    init(_ file: DurableFile, at location: StoreLocation, expected: StoreType) {
        self.file = file
        self.location = location
        self.expected = expected
    }

    /// - Throws: `.unsupported` for a location that is no file.
    package init(_ location: StoreLocation, expected: StoreType) throws(StoreError) {
        guard let url = location.fileURL else {
            throw .unsupported(
                location, feature: "no file",
                advice: "Give the URL of a file for a store of type \(expected).")
        }
        self.init(DurableFile(url), at: location, expected: expected)
    }

    /// Whether the file begins as the engine's files do.
    ///
    /// - Parameter isOwn: tests the first bytes.
    package static func begins(
        _ location: StoreLocation, as isOwn: ([UInt8]) -> Bool
    ) -> Bool {
        guard let url = location.fileURL,
            case .bytes(let bytes)? = try? OpenFileRegistry.shared.readPrefix(
                of: DurableFile(url).path, byteCount: FileKind.prefixByteCount)
        else { return false }
        return isOwn(bytes)
    }

    /// Checks that the file begins as the engine's files do.
    ///
    /// - Parameter isOwn: tests the first bytes.
    /// - Throws: `.notFound`; `.notAStore` for a file of another kind; `.fileFailure`.
    package func requireBeginning(_ isOwn: ([UInt8]) -> Bool) throws(StoreError) {
        let prefix = try prefix(FileKind.prefixByteCount)
        if case .bytes(let bytes) = prefix, isOwn(bytes) { return }
        throw .notAStore(location, expected: expected, found: "\(FileKind(prefix))")
    }

    /// Reads the first bytes; fewer where the file is shorter.
    ///
    /// - Throws: `.notFound`, `.notAStore` for what is no file, `.fileFailure`.
    package func firstBytes(_ count: Int) throws(StoreError) -> [UInt8] {
        let prefix = try prefix(count)
        guard case .bytes(let bytes) = prefix else {
            throw .notAStore(location, expected: expected, found: "\(FileKind(prefix))")
        }
        return bytes
    }

    /// Reads the whole file.
    ///
    /// - Throws: `.notFound`, `.fileFailure`.
    package func allBytes() throws(StoreError) -> [UInt8] { try readAll().bytes }

    func readAll() throws(StoreError) -> (bytes: [UInt8], held: HeldFile, stamp: FileStamp) {
        do throws(FileFailure) {
            let held = try file.hold()
            // Before the bytes: a change while they are read shows as one later.
            let stamp = try held.stamp()
            return (try held.readAll(), held, stamp)
        } catch {
            throw translate(error)
        }
    }

    private func prefix(_ count: Int) throws(StoreError) -> OpenFileRegistry.Prefix {
        do throws(FileFailure) {
            return try OpenFileRegistry.shared.readPrefix(of: file.path, byteCount: count)
        } catch {
            throw translate(error)
        }
    }

    private func translate(_ failure: FileFailure) -> StoreError {
        [ENOENT, ENOTDIR].contains(failure.code) ? .notFound(location) : .fileFailure(failure)
    }
}
