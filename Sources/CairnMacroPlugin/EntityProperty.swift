import SwiftSyntax

/// A stored property of an entity's class, as written in the source.
struct EntityProperty {
    /// The name as written, in backticks if it is a keyword.
    let name: String
    /// The type. If none is written, the type of the literal that is the initial value.
    let type: String
    /// The initial value, unless it is `nil`.
    let initialValue: ExprSyntax?
    let hasInitialValue: Bool
    let declaration: VariableDeclSyntax

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }

    /// Whether the type is an optional.
    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The type without its question mark.
    var wrappedType: String { type.hasSuffix("?") ? String(type.dropLast()) : type }

    /// Whether the type is that of a to-many relationship.
    var isToMany: Bool { type.hasPrefix("Members<") || type.hasPrefix("OrderedMembers<") }

    /// The default value in the model. `nil` if there is no default.
    var defaultValue: ExprSyntax? {
        // `nil` is read as an empty array, so an empty array needs no default.
        let isEmptyArray = initialValue?.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false
        return isToMany || isEmptyArray ? nil : initialValue
    }

    /// Returns `nil` unless the declaration is of a single stored instance property with a known type.
    init?(_ declaration: some DeclSyntaxProtocol) {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isStored,
            let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        let value = binding.initializer?.value
        guard let type = binding.typeAnnotation?.type.trimmedDescription ?? value?.literalType
        else { return nil }
        self.declaration = variable
        self.type = type
        name = pattern.identifier.text
        hasInitialValue = value != nil
        initialValue = value?.is(NilLiteralExprSyntax.self) == true ? nil : value?.trimmed
    }

    /// Returns the attribute with a name, such as `@Unique`.
    func attribute(_ name: String) -> AttributeSyntax? {
        declaration.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == name }
    }

    /// The arguments of an attribute, as written.
    func arguments(of name: String) -> [LabeledExprSyntax] {
        guard case .argumentList(let list)? = attribute(name)?.arguments else { return [] }
        return Array(list)
    }
}

extension LabeledExprSyntax {
    /// The argument without the comma after it.
    var written: String {
        (label.map { "\($0.text): " } ?? "") + expression.trimmed.description
    }
}

extension VariableDeclSyntax {
    /// Whether the declaration is of stored instance properties.
    var isStored: Bool {
        let isOfObject = !modifiers.contains { modifier in
            ["static", "class", "lazy"].contains(modifier.name.text)
        }
        return isOfObject
            && bindings.allSatisfy { binding in
                guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else {
                    return binding.accessorBlock == nil
                }
                return accessors.allSatisfy { accessor in
                    ["willSet", "didSet"].contains(accessor.accessorSpecifier.text)
                }
            }
    }
}

extension ExprSyntax {
    /// Returns the type that Swift infers for a literal, or `nil` for any other expression.
    fileprivate var literalType: String? {
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        return self.is(BooleanLiteralExprSyntax.self) ? "Bool" : nil
    }
}
