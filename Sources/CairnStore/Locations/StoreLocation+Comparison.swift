import CairnFiles
import Foundation

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
