import CairnStore
import Foundation

extension MetadataValue {
    /// The value in the precision of an XML property list, in which dates are rounded down to whole seconds.
    var inWholeSeconds: MetadataValue {
        switch self {
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let members): return .array(members.map(\.inWholeSeconds))
        case .dictionary(let entries): return .dictionary(entries.mapValues(\.inWholeSeconds))
        case .string, .integer, .real, .boolean, .data: return self
        }
    }
}
