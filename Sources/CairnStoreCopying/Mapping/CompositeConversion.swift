import CairnModel

/// How the values of one composite become values of the composite that continues it.
struct CompositeConversion {
    /// One element of the new composite.
    private struct Element {
        let name: String
        /// The element of the old composite. `nil` if there was none.
        let oldName: String?
        let conversion: ValueConversion
        /// What stands for a missing value.
        let missing: Value
    }

    private let elements: [Element]

    /// - Parameters:
    ///   - change: the two composites.
    ///   - models: both models, for composites in composites.
    init(
        from old: CompositeDescription, to new: CompositeDescription, in models: ModelCorrespondence
    ) {
        elements = new.elements.map { element in
            let before = models.oldElement(of: element, in: new, from: old)
            return Element(
                name: element.name, oldName: before?.name,
                conversion: before.map { ValueConversion(from: $0, to: element, in: models) }
                    ?? .none,
                missing: before == nil || !element.isOptional ? element.defaultValue : .null)
        }
    }

    func apply(to value: Value) -> Value? {
        guard case .composite(let values) = value else { return value == .null ? .null : nil }
        var converted: [String: Value] = [:]
        for element in elements {
            let old = element.oldName.flatMap { values[$0] } ?? .null
            guard let new = element.conversion.apply(to: old) else { return nil }
            let value = new == .null ? element.missing : new
            if value != .null { converted[element.name] = value }
        }
        return .composite(converted)
    }
}
