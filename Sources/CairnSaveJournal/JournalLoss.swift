/// Why there is no journal to finish a save by.
enum JournalLoss {
    /// No journal is there. The process may have died before it wrote one, or after all stores had the
    /// save, or somebody removed it.
    case missing(path: String)
    /// Its bytes are not those that were written: the save may have taken place.
    case damaged(path: String, detail: String)
}

extension JournalLoss: CustomStringConvertible {
    var description: String {
        switch self {
        case .missing(let path): "its journal “\(path)” is not there"
        case .damaged(let path, let detail): "its journal “\(path)” is damaged: \(detail)"
        }
    }
}
