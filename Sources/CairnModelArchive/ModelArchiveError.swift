import CairnModel

/// The reason that bytes could not be read as an archived model.
public typealias ModelArchiveError = ArchiveError

extension ModelArchiveError {
    /// Creates an error for an archive that could not be decompressed.
    init(_ error: DeflateError) {
        switch error {
        case .damaged(let offset, let detail):
            self = .damagedCompression(offset: offset, detail: detail)
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        }
    }
}
