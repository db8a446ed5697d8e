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
