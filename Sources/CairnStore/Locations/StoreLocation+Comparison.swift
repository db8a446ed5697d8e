import Foundation

extension URL {
    /// The same for every way of writing the path of a file.
    package var resolvedForComparison: URL { standardizedFileURL.resolvingSymlinksInPath() }
}

extension StoreLocation {
    /// The same for every way of writing the path of a file.
    package var resolvedForComparison: StoreLocation {
        switch self {
        case .file(let url): .file(url.resolvedForComparison)
        case .memory, .service: self
        }
    }
}
