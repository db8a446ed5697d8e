import CairnFiles
import CairnModel
import Foundation

/// The location of a store's data.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file. Companion files and folders, such as the `-wal` file, the lock file and external
    /// data, are in the same folder.
    case file(URL)
    /// A name for a store in the memory of this process.
    case memory(String)
    /// A service, such as a server, at a URL whose scheme belongs to the engine.
    case service(ServiceLocation)

    /// The URL of the file, or `nil` for a store in memory or of a service.
    public var fileURL: URL? {
        if case .file(let url) = self { url } else { nil }
    }

    /// The address of the service, or `nil` for a store in a file or in memory.
    package var service: ServiceLocation? {
        if case .service(let service) = self { service } else { nil }
    }

    /// The file, or the address with the password. `nil` for a store in memory.
    package var url: URL? { fileURL ?? service?.urlWithPassword }

    /// The store's name in errors: the file's path, the name in memory, or the address of the
    /// service without its password. Control characters of a path or a name are replaced.
    public var description: String {
        switch self {
        case .file(let url): VisibleText.line(url.path)
        case .memory(let name): "memory “\(VisibleText.line(name))”"
        case .service(let service): service.description
        }
    }
}

extension URL {
    /// A URL that is equal for all spellings of one file's path.
    package var resolvedForComparison: URL { standardizedFileURL.resolvingSymlinksInPath() }
}

extension StoreLocation {
    /// Returns whether both locations lead to the same store, for example by two spellings of one
    /// path, or by two names of one file.
    package func isSame(as other: StoreLocation) -> Bool {
        if resolvedForComparison == other.resolvedForComparison { return true }
        guard let identity = fileIdentity else { return false }
        return identity == other.fileIdentity
    }

    /// The identity of the file, or `nil` if the file does not exist. Does not open the file,
    /// because closing it again could release locks.
    private var fileIdentity: FileIdentity? {
        fileURL.flatMap { try? FileIdentity(PosixFile.status($0.path)) }
    }

    /// A location that is equal for all spellings of one file's path.
    package var resolvedForComparison: StoreLocation {
        switch self {
        case .file(let url): .file(url.resolvedForComparison)
        case .memory, .service: self
        }
    }
}

extension StoreLocation {
    /// Checks that the folder of a store that is about to be created exists, and that the store's name is
    /// short enough for the names of the files beside it. Engines call this before they create anything,
    /// so that users are told what is wrong.
    ///
    /// - Throws: `.folderMissing`, or `.unsupported` for a name of more than 243 bytes.
    public func requireFolder() throws(StoreError) {
        guard let folder = fileURL?.followingLinks.deletingLastPathComponent() else {
            return
        }
        var status = stat()
        guard stat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .folderMissing(self, folder: folder)
        }
        try requireShortName()
    }

    /// Creates the folder of a store that is about to be created, including missing parent folders.
    /// Does nothing if the location is not a file, or if the folder exists.
    ///
    /// - Throws: `.fileFailure`.
    package func makeFolder() throws(StoreError) {
        guard let folder = fileURL?.deletingLastPathComponent() else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .fileFailure(
                FileFailure(operation: "mkdir", path: folder.path, code: error.posixCode))
        }
    }
}

/// The address of a store that a service keeps: a URL whose scheme belongs to the engine, such as
/// `postgres://reader@db.example/library`.
///
/// The scheme, user, host, port and path identify the store. The password and the query only say
/// how to connect, so two addresses that differ in nothing else are equal. Descriptions of the
/// address never show the password or the query.
public struct ServiceLocation: Sendable, Hashable {
    /// The original URL, including the password and the query. Engines use it to connect. Do not
    /// print it, and do not include it in an error.
    public let urlWithPassword: URL
    /// The address without the password, the query and the fragment.
    private let address: String

    /// Creates a location from the URL of a service.
    ///
    /// - Returns: `nil` if the URL is a file URL, has no scheme, or has neither a host nor a path
    ///   that begins with a slash.
    public init?(_ url: URL) {
        guard !url.isFileURL, let address = Self.address(of: url) else { return nil }
        urlWithPassword = url
        self.address = address
    }

    private static func address(of url: URL) -> String? {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = parts.scheme, parts.host != nil || parts.path.hasPrefix("/")
        else { return nil }
        parts.scheme = scheme.lowercased()
        parts.host = parts.host?.lowercased()
        (parts.password, parts.query, parts.fragment) = (nil, nil, nil)
        return parts.string
    }

    /// Returns a form of any URL that errors may contain, without the parts that may be secret.
    ///
    /// If the URL is neither a file URL nor the address of a service, returns only its scheme.
    package static func redacted(_ url: URL) -> URL {
        if url.isFileURL || url.scheme == nil { return url }
        let text = Self.address(of: url) ?? "\(url.scheme ?? ""):"
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    /// Returns whether both addresses lead to the same store. Passwords and queries are ignored.
    public static func == (left: Self, right: Self) -> Bool { left.address == right.address }

    /// Hashes the parts that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension ServiceLocation: CustomStringConvertible, CustomDebugStringConvertible {
    /// The address without the password, the query and the fragment.
    public var description: String { address }

    /// Equal to ``description``.
    public var debugDescription: String { address }
}

extension ServiceLocation: CustomReflectable {
    /// Contains only the ``description``, so that `dump` does not show the password.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
