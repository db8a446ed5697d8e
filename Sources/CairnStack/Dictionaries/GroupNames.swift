import CairnModel

/// Represents the values of a group as attributes of an entity. Each attribute is named by the value's
/// number.
struct GroupNames {
    /// Returns the attribute name of a value. The names sort by number and attributes get slots in the
    /// order of their names, so the number is also the slot.
    static func name(_ number: Int) -> String {
        let digits = "\(number)"
        return "v" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Returns an entity with an attribute for each type. A type that is `nil` belongs to a value that
    /// is always null.
    ///
    /// - Throws: `.unsupported` if an entity cannot have that many attributes.
    static func entity(_ types: [AttributeType?]) throws(FetchPredicateError) -> Entity {
        let attributes = types.enumerated().map { number, type in
            PropertyDescription.attribute(AttributeDescription(name(number), type ?? .string))
        }
        do throws(ModelError) {
            return try ManagedObjectModel([EntityDescription("Group", attributes)]).entities[0]
        } catch {
            throw .unsupported(expression: "a group of \(types.count) values", advice: "\(error)")
        }
    }
}

extension GroupRewriter.Summary {
    /// The type of the summary's value.
    var type: AttributeType? {
        switch operation {
        case .count: .integer64
        case .min, .max: argument.type
        case .sum:
            argument.type.map { $0.isInteger ? .integer64 : $0 == .decimal ? .decimal : .double }
        case .average: argument.type == .decimal ? .decimal : .double
        }
    }
}
