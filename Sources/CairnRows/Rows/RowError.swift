import CairnModel

/// The reason why a value could not be stored in a row.
public enum RowError: Error, Sendable, Hashable {
    /// The value does not have the type of the property.
    case wrongType(entity: String, property: String, expected: String)
    /// With the value, the row would be 2 GiB or larger.
    case tooLarge(entity: String, property: String)
}

extension RowError: CustomStringConvertible {
    /// Says which property is concerned, what is wrong and what to do. Never contains the value.
    public var description: String {
        switch self {
        case .wrongType(let entity, let property, let expected):
            "The value of \(entity).\(property) does not have the type \(expected). Convert it first."
        case .tooLarge(let entity, let property):
            "The value of \(entity).\(property) would make its row larger than 2 GiB."
                + " Store it in a file of its own."
        }
    }
}
