import Cairn
import CairnFiles
import Foundation
import Synchronization

/// Aliases for paths that are not UTF-8. The library takes URLs, and through an alias it finds the same
/// files.
///
/// A folder is kept open and is named `/proc/self/fd/NUMBER`, which the kernel resolves to the folder itself.
/// A file whose own name is not UTF-8 gets a symbolic link in a temporary folder. So does each companion file
/// that an engine keeps next to it.
enum PathAlias {
    private struct State {
        var names: [(alias: String, shown: String)] = []
        var linkFolders: [URL] = []
    }
    private static let state = Mutex(State())

    /// Returns a URL that leads to the file at the path.
    ///
    /// - Throws: ``ToolFailure`` if the folder cannot be opened, or if the file is new and its name is not
    ///   UTF-8.
    static func url(of path: [UInt8], shown: String, isNew: Bool) throws(ToolFailure) -> URL {
        let parts = path.split(
            separator: UInt8(ascii: "/"), maxSplits: .max, omittingEmptySubsequences: true)
        guard let name = parts.last.map(Array.init), let start = path.lastRange(of: name) else {
            throw ToolFailure("\(shown) is not the path of a file.")
        }
        let folder = try open(folder: Array(path[..<start]) + Array("./".utf8), of: shown)
        let url: URL
        if let text = String(validating: name, as: UTF8.self) {
            url = folder.appending(path: text)
        } else if isNew {
            throw ToolFailure(
                "The name of a new store must be valid UTF-8, but that of \(shown) is not. Choose another"
                    + " name.")
        } else {
            url = try link(to: name, in: folder, shown)
        }
        state.withLock { $0.names.append((url.path, shown)) }
        return url
    }

    /// Returns the text with each alias replaced by the path that the user gave.
    static func shown(in text: String) -> String {
        state.withLock { state in
            state.names.reduce(text) { text, name in
                // Descriptions of errors contain the alias without its control characters.
                text.replacing(name.alias, with: name.shown)
                    .replacing(VisibleText.line(name.alias), with: name.shown)
            }
        }
    }

    /// Removes the symbolic links.
    static func removeLinks() {
        let folders = state.withLock { state in
            defer { state.linkFolders = [] }
            return state.linkFolders
        }
        for folder in folders { try? FileManager.default.removeItem(at: folder) }
    }

    // MARK: Steps

    /// Opens a folder. It stays open until the process ends.
    private static func open(folder: [UInt8], of shown: String) throws(ToolFailure) -> URL {
        let descriptor = (folder + [0]).withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                Foundation.open(
                    $0.assumingMemoryBound(to: CChar.self), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            } ?? -1
        }
        guard descriptor >= 0 else { throw systemFailure("open the folder of", shown) }
        return URL(fileURLWithPath: "/proc/self/fd/\(descriptor)", isDirectory: true)
    }

    private static func link(
        to name: [UInt8], in folder: URL, _ shown: String
    ) throws(ToolFailure) -> URL {
        let linkFolder = FileManager.default.temporaryDirectory
            .appending(path: "cairn-path-\(UUID().uuidString)", directoryHint: .isDirectory)
        guard mkdir(linkFolder.path, 0o700) == 0 else {
            throw systemFailure("create a folder for a link to", shown)
        }
        state.withLock { $0.linkFolders.append(linkFolder) }
        PosixFile.followLinks(inFolder: linkFolder.path)
        let alias = FileName(bytes: name.map { plainByte($0) })
        let url = linkFolder.appending(path: String(decoding: alias.bytes, as: UTF8.self))
        try link(url, to: name, in: folder, shown, isCompanion: false)
        for companion in companionNames(of: url) {
            // Some companion files, such as logs, have the whole name as a prefix; others have only the stem.
            let bytes =
                replacing(alias.bytes, in: companion, with: name)
                ?? replacing(alias.stem, in: companion, with: FileName(bytes: name).stem)
            guard let bytes else { continue }
            try link(
                linkFolder.appending(path: companion), to: bytes, in: folder, shown,
                isCompanion: true)
        }
        return url
    }

    private static func link(
        _ url: URL, to name: [UInt8], in folder: URL, _ shown: String, isCompanion: Bool
    ) throws(ToolFailure) {
        let target = Array(folder.path.utf8) + [UInt8(ascii: "/")] + name + [0]
        var found = stat()
        let status = target.withUnsafeBytes { bytes in
            bytes.baseAddress.map { bytes -> Int32 in
                let path = bytes.assumingMemoryBound(to: CChar.self)
                if isCompanion { lstat(path, &found) }
                return symlink(path, url.path)
            } ?? -1
        }
        guard status == 0 else { throw systemFailure("create a link to", shown) }
        // The library follows the links of this folder, so they must not lead to other links.
        guard found.st_mode & S_IFMT != S_IFLNK else {
            throw ToolFailure(
                "A file of \(shown) with the ending of “\(url.lastPathComponent)” is a symbolic link."
                    + " Find out who created it, and remove it.")
        }
    }

    /// Returns the names of the companion files of a store, for all built-in engines.
    private static func companionNames(of url: URL) -> Set<String> {
        let registry = StoreRegistry.builtIn
        return Set(
            registry.types.flatMap { type in
                let location = StoreLocation.file(url)
                let engine = try? registry.fileEngine(ofType: type, for: location)
                return engine?.companionFiles(of: location).map(\.url.lastPathComponent) ?? []
            })
    }

    private struct FileName {
        let bytes: [UInt8]

        /// The name without its extension.
        var stem: [UInt8] {
            guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return bytes }
            return Array(bytes[..<dot])
        }
    }

    /// Returns the byte if it is an ASCII letter, an ASCII digit or a dot. Otherwise, returns an underscore.
    private static func plainByte(_ byte: UInt8) -> UInt8 {
        let isPlain =
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            || byte == UInt8(ascii: ".")
        return isPlain && byte < 0x80 ? byte : UInt8(ascii: "_")
    }

    private static func replacing(
        _ part: [UInt8], in name: String, with other: [UInt8]
    ) -> [UInt8]? {
        let bytes = Array(name.utf8)
        guard let start = bytes.lastRange(of: part) else { return nil }
        return Array(bytes[..<start]) + other + Array(bytes[(start + part.count)...])
    }

    private static func systemFailure(_ operation: String, _ shown: String) -> ToolFailure {
        ToolFailure("cannot \(operation) \(shown): \(String(cString: strerror(errno)))")
    }
}

extension [UInt8] {
    /// Returns the index at which the last occurrence of the bytes starts.
    fileprivate func lastRange(of bytes: [UInt8]) -> Int? {
        indices.last { self[$0...].starts(with: bytes) }
    }
}
