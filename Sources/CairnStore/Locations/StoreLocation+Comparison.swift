import CairnFiles
import Foundation

extension URL {
    /// The same for every way of writing the path of a file.
    package var resolvedForComparison: URL { standardizedFileURL.resolvingSymlinksInPath() }
}

extension StoreLocation {
    /// Whether both are one store: two ways of writing one path, or two names of one file.
    package func isSame(as other: StoreLocation) -> Bool {
        if resolvedForComparison == other.resolvedForComparison { return true }
        guard let identity = fileIdentity else { return false }
        return identity == other.fileIdentity
    }

    /// `nil` if there is no file. Opens nothing: that could release locks.
    private var fileIdentity: FileIdentity? {
        fileURL.flatMap { try? FileIdentity(PosixFile.status($0.path)) }
    }

    /// The same for every way of writing the path of a file.
    package var resolvedForComparison: StoreLocation {
        switch self {
        case .file(let url): .file(url.resolvedForComparison)
        case .memory, .service: self
        }
    }
}
