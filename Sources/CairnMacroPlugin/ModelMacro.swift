import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@Model` macro of the module SwiftData, which turns a class without a superclass, or a subclass of such a
/// class, into a persistent model.
struct ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    // MARK: Accessors of each property

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        // The compiler allows no accessors for a constant.
        PersistedProperty(member)?.isConstant == false ? ["@_PersistedProperty"] : []
    }

    // MARK: Conformance

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // A subclass inherits the conformance.
        if protocols.isEmpty || !declaration.is(ClassDeclSyntax.self) { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.PersistentModel {}")]
    }

    // MARK: Members

    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let model = declaration.as(ClassDeclSyntax.self) else {
            context.diagnose(
                Diagnostic(node: Syntax(node), message: ModelMistake.noClass))
            return []
        }
        for member in model.memberBlock.members {
            guard let mistake = ModelMistake(in: member.decl) else { continue }
            context.diagnose(Diagnostic(node: Syntax(member.decl), message: mistake))
        }
        let properties = model.memberBlock.members.compactMap { PersistedProperty($0.decl) }
        let isSubclass = protocols.isEmpty
        let isFinal = model.modifiers.contains { $0.name.text == "final" }
        let access = model.modifiers.access
        let required = access == "open " ? "public " : access
        let kind =
            isSubclass ? "override \(access)class" : "\(access)\(isFinal ? "static" : "class")"
        let values = properties.map { property in
            property.isConstant
                ? "\(property.name) = backingData.constant(\"\(property.plainName)\")"
                : "_$\(property.plainName) = SwiftData._NoValue()"
        }
        let first = ["_$backingData.take(backingData)"]
        let last = isSubclass ? ["super.init(backingData: backingData)"] : []
        let backing =
            isSubclass
            ? """
            override \(access)var persistentBackingData: SwiftData.BackingData {
                _$backingData.joined(with: super.persistentBackingData)
            }
            """
            : "\(access)var persistentBackingData: SwiftData.BackingData { _$backingData.made() }"
        let setter =
            isSubclass
            ? """
            override \(access)func _setBacking(_ backing: SwiftData._ModelBacking) {
                super._setBacking(backing)
                _$backingData = backing
            }
            """
            : "\(access)func _setBacking(_ backing: SwiftData._ModelBacking) { _$backingData = backing }"
        return [
            "@exclusivity(unchecked) private final var _$backingData = SwiftData._ModelBacking(of: \(raw: model.name.text).self)",
            "\(raw: backing)", "\(raw: setter)",
            """
            \(raw: kind) var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                [\(raw: metadata(of: model, properties).map { "\n        \($0)," }.joined())
                ]
            }
            """,
            """
            \(raw: required)required init(backingData: SwiftData.BackingData) {
                \(raw: (first + values + last).joined(separator: "\n    "))
            }
            """,
        ]
    }

    /// Returns the elements of `schemaMetadata` as source text.
    private static func metadata(
        of model: ClassDeclSyntax, _ properties: [PersistedProperty]
    ) -> [String] {
        let type = model.name.text
        let entries = properties.map { property in
            var arguments = [
                "name: \"\(property.plainName)\"", "keypath: \\\(type).\(property.name)",
            ]
            if let value = property.initialValue {
                arguments.append("defaultValue: .some(\(value.naming(type)))")
            }
            for name in ["Attribute", "Relationship"] {
                guard let attribute = property.attribute(name) else { continue }
                let written = attribute.arguments.map(\.trimmedDescription) ?? ""
                arguments.append("metadata: SwiftData.Schema.\(name)(\(written))")
            }
            if property.isConstant { arguments.append("isConstant: true") }
            return "SwiftData.Schema.PropertyMetadata(\(arguments.joined(separator: ", ")))"
        }
        let lists = model.memberBlock.members.compactMap { member in
            member.decl.as(MacroExpansionDeclSyntax.self).flatMap(PropertyList.init)
        }
        return [
            "SwiftData.Schema.PropertyMetadata(identifiers: [\\\(type).persistentModelID, \\\(type).id])"
        ]
            + entries
            + lists.map { list in
                let names = (list.lists ?? []).map { names in
                    "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
                }
                let argument = list.purpose.rawValue.lowercased()
                return "SwiftData.Schema.PropertyMetadata("
                    + "\(argument): [\(names.joined(separator: ", "))])"
            }
    }
}

/// The source of a property that `@Model` makes persistent.
struct PersistedProperty {
    /// The name as written, with backticks if it is a keyword.
    let name: String
    /// The initial value, or `nil` if there is no initial value or it is the literal `nil`.
    let initialValue: ExprSyntax?
    /// Whether only an initializer sets the property: it is declared with `let`.
    var isConstant: Bool { declaration.bindingSpecifier.text == "let" }
    private let declaration: VariableDeclSyntax
    private let accessors: AccessorBlockSyntax?

    /// The name without backticks.
    var plainName: String { name.filter { $0 != "`" } }

    /// Reads a declaration. Returns `nil` unless it declares exactly one stored instance variable that is not
    /// transient.
    init?(_ declaration: some DeclSyntaxProtocol) {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isStored,
            variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        self.declaration = variable
        accessors = binding.accessorBlock
        name = pattern.identifier.text
        let value = binding.initializer?.value
        initialValue = value?.is(NilLiteralExprSyntax.self) == true ? nil : value?.trimmed
        if attribute("Transient") != nil { return nil }
    }

    /// Returns the statements of a setter, which call the property's observers.
    ///
    /// - Parameter setting: The statement that sets the value.
    func setter(_ setting: String) -> String {
        let (before, after) = (observer("willSet", "newValue"), observer("didSet", "oldValue"))
        if before == nil, after == nil { return setting }
        // An observer that sets its own property does not call the observers again.
        return """
            guard persistentBackingData.beginObserving("\(plainName)") else { return \(setting) }
            defer { persistentBackingData.endObserving("\(plainName)") }
            \(after?.contains("oldValue") == true ? "let oldValue = self.\(name)" : "")
            \(before ?? "")
            \(setting)
            \(after ?? "")
            """
    }

    /// Returns an observer as a function and its call. A function, because the observer may return.
    private func observer(_ kind: String, _ value: String) -> String? {
        guard case .accessors(let list)? = accessors?.accessors,
            let observer = list.first(where: { $0.accessorSpecifier.text == kind }),
            let body = observer.body
        else { return nil }
        let named = observer.parameters.map { "let \($0.name.text) = \(value)" } ?? ""
        return "func _\(kind)() {\n\(named)\n\(body.statements)\n}\n_\(kind)()"
    }

    /// Returns the attribute with a name, with or without the module's name before it.
    func attribute(_ name: String) -> AttributeSyntax? {
        declaration.attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first {
                ["\(name)", "SwiftData.\(name)"].contains($0.attributeName.trimmedDescription)
            }
    }
}

/// A mistake in a class with `@Model`.
enum ModelMistake: DiagnosticMessage {
    case noClass
    /// The property is a `let` with an initial value, which a fetch could not replace.
    case constant(String)
    case severalProperties

    /// Finds the mistake in the declaration of a stored property. Returns `nil` if the declaration is correct.
    init?(in declaration: DeclSyntax) {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.isStored,
            !variable.attributes.contains(where: { $0.trimmedDescription.hasSuffix("Transient") })
        else { return nil }
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            self = .severalProperties
            return
        }
        guard variable.bindingSpecifier.text == "let", binding.initializer != nil else {
            return nil
        }
        self = .constant(pattern.identifier.text)
    }

    var message: String {
        switch self {
        case .noClass: "@Model can only be attached to a class, because models have an identity"
        case .constant(let name):
            "“\(name)” must be a variable, or a constant that the initializers set, because a fetch sets it"
        case .severalProperties: "each stored property needs a declaration of its own"
        }
    }

    var diagnosticID: MessageID { MessageID(domain: "SwiftData", id: "\(self)") }
    var severity: DiagnosticSeverity { .error }
}

/// The `@_PersistedProperty` macro, which adds accessors that use the model's backing data.
struct PersistedPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = PersistedProperty(declaration) else { return [] }
        let type = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text ?? "Self"
        let arguments =
            "_mark(\\\(type)._$\(property.plainName)), \"\(property.plainName)\", \\\(type).\(property.name)"
        let setter: AccessorDeclSyntax = """
            set {
                \(raw: property.setter("_setValue(newValue, _$backingData.uncounted, \(arguments))"))
            }
            """
        return [
            """
            @storageRestrictions(accesses: _$backingData, initializes: _$\(raw: property.plainName))
            init(initialValue) {
                _$backingData._setInitialValue(initialValue, forKey: "\(raw: property.plainName)")
                _$\(raw: property.plainName) = SwiftData._NoValue()
            }
            """,
            """
            get {
                _value(_$backingData.uncounted, \(raw: arguments))
            }
            """,
            setter,
        ]
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = PersistedProperty(declaration) else { return [] }
        // The compiler reports an initializer that does not set the property, because it does not set this one.
        // It is final, so that its key path leads to its address.
        return ["private final var _$\(raw: property.plainName): SwiftData._NoValue"]
    }
}

/// A macro of the module SwiftData that expands to nothing. ``ModelMacro`` reads it.
struct ModelMarkerMacro: PeerMacro, DeclarationMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }

    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// The `@ModelActor` macro, which gives an actor a context that only it uses.
struct ModelActorMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let access = declaration.modifiers.access
        let isDisabled =
            node.arguments?.as(LabeledExprListSyntax.self)?
            .contains { $0.expression.trimmedDescription == "true" } ?? false
        let initializer: DeclSyntax = """
            \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
                self.modelExecutor = SwiftData.DefaultSerialModelExecutor(
                    modelContext: SwiftData.ModelContext(modelContainer))
                self.modelContainer = modelContainer
            }
            """
        return [
            "\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor",
            "\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer",
        ] + (isDisabled ? [] : [initializer])
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        if protocols.isEmpty { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
    }
}
