import CairnModel

/// How the values of one attribute become values of the attribute that continues it.
indirect enum ValueConversion {
    /// As they are.
    case none
    /// To another type, without loss.
    case type(from: AttributeType, to: AttributeType)
    /// Element by element.
    case composite(CompositeConversion)

    /// Returns the converted value. Returns `nil` for a value that is not of the old attribute's type.
    func apply(to value: Value) -> Value? {
        switch self {
        case .none: value
        case .type(let from, let to): from.convert(value, to: to)
        case .composite(let conversion): conversion.apply(to: value)
        }
    }
}

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

extension ValueConversion {
    /// The conversion between two attributes, one of which continues the other.
    init(
        from old: AttributeDescription, to new: AttributeDescription,
        in models: ModelCorrespondence
    ) {
        if old.type != new.type {
            self = .type(from: old.type, to: new.type)
        } else if old.type == .composite,
            let before = old.compositeName.flatMap(models.old.composite),
            let after = new.compositeName.flatMap(models.new.composite), before != after
        {
            self = .composite(CompositeConversion(from: before, to: after, in: models))
        } else {
            self = .none
        }
    }

    /// Whether values stay as they are.
    var isNone: Bool { if case .none = self { true } else { false } }
}
