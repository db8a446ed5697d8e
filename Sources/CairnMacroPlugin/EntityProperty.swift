import SwiftSyntax
import SwiftSyntaxMacros

/// The source of a stored property of an entity's class or a composite's structure.
struct EntityProperty {
    /// The name as written, with backticks if it is a keyword.
    let name: String
    /// The declared type. If no type is declared, the type of the literal that is the initial value.
    let type: String
    /// The initial value, or `nil` if there is no initial value or it is the literal `nil`.
    let initialValue: ExprSyntax?
    let hasInitialValue: Bool
    let declaration: VariableDeclSyntax

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }

    /// Whether the type is an optional.
    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The type without its question mark.
    var wrappedType: String {
        if type.hasSuffix("?") { return String(type.dropLast()) }
        let prefix = "Optional<"
        return type.hasPrefix(prefix) && type.hasSuffix(">")
            ? String(type.dropFirst(prefix.count).dropLast()) : type
    }

    /// The type of the elements if the type is an array that is written with brackets. Otherwise, `nil`.
    var element: String? {
        type.hasPrefix("[") && type.hasSuffix("]") && !type.contains(":")
            ? String(type.dropFirst().dropLast()) : nil
    }

    /// Whether the type is that of a to-many relationship.
    var isToMany: Bool { type.hasPrefix("Members<") || type.hasPrefix("OrderedMembers<") }

    /// The default value in the model: that of `@Attribute`, or an initial value that is a literal. `nil` if
    /// there is no default.
    var defaultValue: ExprSyntax? {
        let written = arguments(of: "Attribute").first { $0.label?.text == "default" }
        if let written { return written.expression.trimmed }
        // An empty array needs no default, because nil is read as an empty array.
        let isEmptyArray = initialValue?.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false
        guard let initialValue, initialValue.isLiteral, !isToMany, !isEmptyArray else { return nil }
        return initialValue
    }

    /// The arguments of `@Attribute` that have a label, except for the default value.
    var labelledArguments: [String] {
        arguments(of: "Attribute").filter { ![nil, "default"].contains($0.label?.text) }
            .map(\.written)
    }

    /// An initial value that is not a literal, so that it may differ for each object. `nil` for a literal, for a
    /// relationship, for a property that stores compute, and for a property without an initial value.
    var computedInitialValue: ExprSyntax? {
        guard let initialValue, !initialValue.isLiteral, !isToMany,
            attribute("Relationship") == nil, attribute("Derived") == nil
        else { return nil }
        return initialValue
    }

    /// Reads a declaration. Returns `nil` unless it declares exactly one stored instance property whose type
    /// is known.
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

    /// Returns the attribute with a name, such as `Unique` for `@Unique`.
    func attribute(_ name: String) -> AttributeSyntax? {
        declaration.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { $0.attributeName.trimmedDescription == name }
    }

    /// Returns the arguments of an attribute, as they are written.
    func arguments(of name: String) -> [LabeledExprSyntax] {
        guard case .argumentList(let list)? = attribute(name)?.arguments else { return [] }
        return Array(list)
    }
}

extension [EntityProperty] {
    /// Whether each property is visible in other modules. Otherwise, its type may be internal, and a public
    /// initializer cannot have a parameter of an internal type.
    var areAllSeen: Bool { allSatisfy { !$0.declaration.modifiers.access.isEmpty } }
}

extension LabeledExprSyntax {
    /// The source of the argument, without a trailing comma.
    var written: String {
        (label.map { "\($0.text): " } ?? "") + expression.trimmed.description
    }
}

extension VariableDeclSyntax {
    /// Whether the declaration declares stored instance properties.
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
    /// Whether the expression is a literal, so that it has the same value each time it is evaluated. Arrays and
    /// dictionaries are literals if all of their elements are. An enumeration case is not, because the source
    /// text does not tell it from a property such as `.now`.
    var isLiteral: Bool {
        if let text = self.as(StringLiteralExprSyntax.self) {
            return text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
        }
        if let array = self.as(ArrayExprSyntax.self) {
            return array.elements.allSatisfy(\.expression.isLiteral)
        }
        if let dictionary = self.as(DictionaryExprSyntax.self) {
            guard case .elements(let elements) = dictionary.content else { return true }
            return elements.allSatisfy { $0.key.isLiteral && $0.value.isLiteral }
        }
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.allSatisfy(\.expression.isLiteral)
        }
        return self.is(NilLiteralExprSyntax.self) || literalType != nil
    }

    /// The source text, with the name of a class instead of `Self`, which a default argument cannot contain.
    func naming(_ name: String) -> String {
        tokens(viewMode: .sourceAccurate).map { token in
            token.tokenKind == .keyword(.Self)
                ? "\(token.leadingTrivia)\(name)\(token.trailingTrivia)" : "\(token)"
        }.joined()
    }

    /// The number after a sign. `nil` if the expression is not a number literal with a sign.
    private var signedNumber: ExprSyntax? {
        guard let signed = self.as(PrefixOperatorExprSyntax.self),
            ["-", "+"].contains(signed.operator.text),
            signed.expression.is(IntegerLiteralExprSyntax.self)
                || signed.expression.is(FloatLiteralExprSyntax.self)
        else { return nil }
        return signed.expression
    }

    /// The type that Swift infers for a literal. `nil` if the expression is not a literal.
    fileprivate var literalType: String? {
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        if let number = signedNumber { return number.literalType }
        return self.is(BooleanLiteralExprSyntax.self) ? "Bool" : nil
    }
}

/// The `@EntityProperty` macro, which adds a mark to a stored property, and accessors that use the mark.
struct EntityPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        let (name, type) = (property.name, property.type)
        // Naming the class avoids an error for each key path in addition to the one for a wrong type.
        let root = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text ?? ""
        return [
            """
            get {
                Managed<\(raw: type)>[_enclosingInstance: self, wrapped: \\\(raw: root).\(raw: name), storage: \\\(raw: root)._\(raw: property.plainName)]
            }
            """,
            """
            set {
                Managed<\(raw: type)>[_enclosingInstance: self, wrapped: \\\(raw: root).\(raw: name), storage: \\\(raw: root)._\(raw: property.plainName)] = newValue
            }
            """,
        ]
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        // The mark is final, like the storage of a property wrapper. A key path of a property that a subclass
        // could override would lead to its accessors and not to its address.
        return ["private final var _\(raw: property.plainName) = Managed<\(raw: property.type)>()"]
    }
}

/// The `@FetchedProperty` macro, which makes a property fetch when it is read. ``EntityMacro`` reads its arguments.
struct FetchedPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = EntityProperty(declaration) else { return [] }
        let mistake: EntityMistake? =
            context.isInType(with: "Entity")
            ? (property.element == nil ? .noArray(property.name) : nil)
            : .noEntity("@FetchedProperty")
        guard let element = property.element, mistake == nil else {
            if let mistake { context.diagnose(mistake.diagnostic(at: declaration)) }
            // Without an accessor, the compiler would report that as a second error.
            return ["get throws(GraphError) { [] }"]
        }
        return [
            """
            get throws(GraphError) {
                try fetchedObjects("\(raw: property.plainName)", as: \(raw: element).self)
            }
            """
        ]
    }
}
