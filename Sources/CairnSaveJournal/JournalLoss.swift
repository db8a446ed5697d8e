/// The reason why there is no journal with which to finish a save.
enum JournalLoss {
    /// The journal does not exist. Either the process died before writing it or after all stores
    /// had the save, or someone removed it.
    case missing(path: String)
    /// The journal's bytes are not those that were written. The save may have taken place.
    case damaged(path: String, detail: String)
}

extension JournalLoss: CustomStringConvertible {
    var description: String {
        switch self {
        case .missing(let path): "its journal “\(path)” is missing"
        case .damaged(let path, let detail): "its journal “\(path)” is damaged: \(detail)"
        }
    }
}
