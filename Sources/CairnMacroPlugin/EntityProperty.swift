import SwiftSyntax

/// A stored property of an entity's class, as it is written.
struct EntityProperty {
    /// As it is written, in backticks if it is a keyword.
    let name: String
    /// The type, or that of the literal that is the initial value.
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

    /// Whether the type is that of a to-many.
    var isToMany: Bool { type.hasPrefix("Members<") || type.hasPrefix("OrderedMembers<") }

    /// What the model has as the default. `nil` if it has none.
    var defaultValue: ExprSyntax? {
        // An array without elements is what nil is read as.
        let isEmptyArray = initialValue?.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false
        return isToMany || isEmptyArray ? nil : initialValue
    }

    /// Returns `nil` for anything but one stored property of an object with a known type.
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

    /// The attribute of a name, such as `@Unique`.
    func attribute(_ name: String) -> AttributeSyntax? {
        declaration.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == name }
    }

    /// The arguments of an attribute, as they are written.
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
    /// Whether the declaration is of stored properties of an object.
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
    /// The type that Swift gives a literal. `nil` for another expression.
    fileprivate var literalType: String? {
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        return self.is(BooleanLiteralExprSyntax.self) ? "Bool" : nil
    }
}
