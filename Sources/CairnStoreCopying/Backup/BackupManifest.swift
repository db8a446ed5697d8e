import CairnFiles
import CairnRows
import CairnStore
import Foundation

/// The file in the folder of a backup that says which stores the folder contains, and what their files must
/// contain.
package struct BackupManifest: Codable, Sendable {
    /// The name of the file.
    static let fileName = "backup.json"
    private static let formatVersion = 1
    /// No manifest is larger, unless someone made it so.
    private static let byteCountLimit = 256 << 20

    /// A file of a store. Its path is relative to the folder of the backup.
    struct File: Codable, Sendable, Hashable {
        var path: String
        var byteCount: Int64
        var checksum: String
    }

    /// A store of the backup.
    package struct Store: Codable, Sendable {
        /// The name of the store's main file in the folder.
        package var name: String
        /// The type of the engine.
        package var type: String
        package var identifier: String
        /// The configuration whose entities the store holds. If `nil`, the store holds all entities.
        package var configuration: String?
        /// The path of the store that was backed up, or `nil` if it was not a file.
        package var path: String?
        var files: [File]
    }

    private var format = Self.formatVersion
    /// The moment of the backup, in ISO 8601.
    package let moment: String
    package let stores: [Store]
    private let checksum: String

    init(moment: Date, stores: [Store]) {
        self.moment = moment.formatted(.iso8601.time(includingFractionalSeconds: true))
        self.stores = stores
        checksum = Self.checksum(of: stores, at: self.moment)
    }

    private static func checksum(of stores: [Store], at moment: String) -> String {
        var fields = [moment]
        for store in stores {
            fields += [store.name, store.type, store.identifier]
            fields += [store.configuration, store.path].map { $0.map { "=\($0)" } ?? "" }
            for file in store.files { fields += [file.path, "\(file.byteCount)", file.checksum] }
        }
        return Array(fields.joined(separator: "\0").utf8).withUnsafeBytes(Checksum.of).asText
    }

    // MARK: Files

    /// Reads the manifest of a folder.
    ///
    /// - Throws: `.notFound` if the folder has no manifest; `.unsupported` for a later format; `.corrupt`,
    ///   `.fileFailure`.
    package init(ofFolder folder: URL) throws(StoreError) {
        let url = folder.appending(path: Self.fileName)
        guard url.isThere else { throw .notFound(.file(url)) }
        let data = try StoreError.onFiles(
            try PosixFile.read(url.path, byteCountLimit: Self.byteCountLimit))
        let damage = StoreError.corrupt(
            .file(folder), location: "the file “\(Self.fileName)”",
            detail: "it is not the list of files that the backup wrote")
        struct Beginning: Decodable { var format: Int }
        guard let beginning = try? JSONDecoder().decode(Beginning.self, from: data) else {
            throw damage
        }
        guard beginning.format <= Self.formatVersion else {
            throw .unsupported(
                .file(folder), feature: "a backup of format \(beginning.format)",
                advice: "Restore it with a later version of Cairn.")
        }
        guard let found = try? JSONDecoder().decode(Self.self, from: data),
            found.checksum == Self.checksum(of: found.stores, at: found.moment),
            found.stores.allSatisfy({ store in
                ([store.name] + store.files.map(\.path)).allSatisfy(Self.isInside)
                    && !store.name.contains("/")
            })
        else { throw damage }
        self = found
    }

    /// Returns whether a path stays within the folder that it is relative to.
    private static func isInside(_ path: String) -> Bool {
        !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
    }

    /// Writes the manifest durably to a folder without one.
    func write(inFolder folder: URL) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return }
        try StoreError.onFiles(
            try PosixFile.write(data, toNew: folder.appending(path: Self.fileName).path))
    }
}

extension UInt64 {
    fileprivate var asText: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension BackupManifest.File {
    /// The number of bytes that are read at a time.
    private static let stepByteCount = 1 << 20

    /// Reads a file, and describes its content.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - path: its path relative to the folder of the backup.
    ///   - report: called with the number of bytes of each part.
    /// - Throws: `.fileFailure`; the error of `report`.
    init(
        of url: URL, as path: String, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        self.path = path
        byteCount = 0
        var sums: [UInt64] = []
        let file = try StoreError.onFiles(try HeldFile(companion: url.path, O_RDONLY))
        while true {
            let offset = byteCount
            let bytes = try StoreError.onFiles(try file.read(Self.stepByteCount, at: offset))
            if bytes.isEmpty { break }
            byteCount += Int64(bytes.count)
            sums.append(bytes.withUnsafeBytes(Checksum.of))
            try report(Int64(bytes.count))
        }
        // The checksum of the checksums of all parts. They are of one byte order.
        checksum = sums.map(\.littleEndian).withUnsafeBytes(Checksum.of).asText
    }

    /// Describes all files of a store: its main file and its data files. Empty files beside the main file do not
    /// count, because engines create such files when they open a store.
    ///
    /// - Throws: `.fileFailure`, also for a symbolic link; the error of `report`.
    static func all(
        of files: StoreFileSet, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> [Self] {
        let folder = files.folder + "/"
        var found: [Self] = []
        for root in [files.main] + files.data where root.isThere {
            try StoreError.onFiles(try FileTree(root).requireNoLinks())
            for item in FileTree(root).items where !item.isFolder {
                let path = String(item.path.dropFirst(folder.count))
                let file = try Self(of: item, as: path, reporting: report)
                if file.byteCount > 0 || root == files.main { found.append(file) }
            }
        }
        return found
    }
}
