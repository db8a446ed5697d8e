import CairnModel

/// Why a value could not be put into a row.
public enum RowError: Error, Sendable, Hashable {
    /// The value is not of the property's type.
    case wrongType(entity: String, property: String, expected: String)
    /// The row would have 2 GiB or more.
    case tooLarge(entity: String, property: String)
}

extension RowError: CustomStringConvertible {
    /// Which property, what is wrong, and what to do. Never the value.
    public var description: String {
        switch self {
        case .wrongType(let entity, let property, let expected):
            "The value of \(entity).\(property) is not of type \(expected). Convert it first."
        case .tooLarge(let entity, let property):
            "The value of \(entity).\(property) makes its row larger than 2 GiB."
                + " Keep it in a file."
        }
    }
}
