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
        // The compiler allows no accessors for a constant. Another mistake than that of a structure would hide it.
        declaration.is(ClassDeclSyntax.self) && PersistedProperty(member)?.isConstant == false
            ? ["@_PersistedProperty"] : []
    }

    // MARK: Conformance

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // A subclass inherits the conformance.
        if protocols.isEmpty || !declaration.is(ClassDeclSyntax.self) { return [] }
        // A package may isolate conformances to the main actor by default, but contexts of every actor use models.
        return [
            try ExtensionDeclSyntax(
                "extension \(type.trimmed): nonisolated SwiftData.PersistentModel {}")
        ]
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
        if !isSubclass, !model.memberBlock.members.contains(where: ModelMistake.maySetUp) {
            context.diagnose(
                Diagnostic(node: Syntax(node), message: ModelMistake.noInitializer(model.name.text))
            )
        }
        let isFinal = model.modifiers.contains { $0.name.text == "final" }
        let required = model.modifiers.access
        // Models in other modules may be subclasses of an open class.
        let access = model.modifiers.contains { $0.name.text == "open" } ? "open " : required
        let kind =
            isSubclass ? "override \(access)class" : "\(access)\(isFinal ? "static" : "class")"
        let values = properties.map { property in
            property.isConstant
                ? "\(property.name) = backingData.constant(\"\(property.plainName)\")"
                : "_$\(property.plainName) = SwiftData._NoValue()"
        }
        let first = ["_modelBacking.take(backingData)"]
        let last = isSubclass ? ["super.init(backingData: backingData)"] : []
        let backing =
            isSubclass
            ? """
            override \(access)var persistentBackingData: SwiftData.BackingData {
                _modelBacking.joined(with: super.persistentBackingData)
            }
            """
            : "\(access)var persistentBackingData: SwiftData.BackingData { _modelBacking.made() }"
        let setter =
            isSubclass
            ? """
            override \(access)func _setBacking(_ backing: SwiftData._ModelBacking) {
                super._setBacking(backing)
                _modelBacking = backing
            }
            """
            : "\(access)func _setBacking(_ backing: SwiftData._ModelBacking) { _modelBacking = backing }"
        return [
            "@exclusivity(unchecked) private final var _modelBacking = SwiftData._ModelBacking(of: \(raw: model.name.text).self)",
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
        ] + (isSubclass ? [] : equality(of: model))
    }

    /// Returns a member that makes the `==` of a class that of its conformance to `Equatable`. The compiler finds the `==`
    /// twice if a macro adds the conformance, and calls it ambiguous.
    private static func equality(of model: ClassDeclSyntax) -> [DeclSyntax] {
        let hasOperator = model.memberBlock.members.contains {
            $0.decl.as(FunctionDeclSyntax.self)?.name.text == "=="
        }
        guard hasOperator else { return [] }
        let name = model.name.text
        return [
            """
            @_implements(Swift.Equatable, ==(_:_:))
            \(raw: model.modifiers.access)static func _modelsAreEqual(_ left: \(raw: name), _ right: \(raw: name)) -> Swift.Bool {
                left == right
            }
            """
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
                let text = value.naming(type)
                // An `if` or `switch` cannot be an argument.
                let isStatement = value.is(IfExprSyntax.self) || value.is(SwitchExprSyntax.self)
                arguments.append("defaultValue: .some(\(isStatement ? "{ \(text) }()" : text))")
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
    /// The class declares no initializer.
    case noInitializer(String)
    /// The property is a `let` with an initial value, which a fetch could not replace.
    case constant(String)
    case severalProperties
    /// The property has `@ObservationIgnored`, but is persistent.
    case notObserved(String)
    /// Apple's SwiftData refuses the name, no key path can lead to it, or it is that of a member that `@Model` adds.
    case reservedName(String)

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
        let name = pattern.identifier.plainText
        if ["description", "self", "Type", "persistentBackingData"].contains(name) {
            self = .reservedName(name)
        } else if variable.attributes.contains(where: {
            $0.trimmedDescription.hasSuffix("ObservationIgnored")
        }) {
            self = .notObserved(name)
        } else if variable.bindingSpecifier.text == "let", binding.initializer != nil {
            self = .constant(pattern.identifier.text)
        } else {
            return nil
        }
    }

    /// Returns whether a member is an initializer, or contains one.
    static func maySetUp(_ member: MemberBlockItemSyntax) -> Bool {
        member.decl.is(InitializerDeclSyntax.self) || member.decl.is(IfConfigDeclSyntax.self)
    }

    var message: String {
        switch self {
        case .noClass: "@Model can only be attached to a class, because models have an identity"
        case .noInitializer(let name):
            "“\(name)” needs an initializer, as in Apple's SwiftData, because programs create models with it"
        case .constant(let name):
            "“\(name)” must be a variable, or a constant that the initializers set, because a fetch sets it"
        case .severalProperties: "each stored property needs a declaration of its own"
        case .notObserved(let name):
            "“\(name)” is persistent, so reading it is observed; add @Transient, or remove @ObservationIgnored"
        case .reservedName(let name):
            "“\(name)” cannot be the name of a stored property of a model; use another one, and @Attribute(originalName:)"
                + " if a store has it"
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
            "_modelMark(\\\(type)._$\(property.plainName)), \"\(property.plainName)\", \\\(type).\(property.name)"
        let setter: AccessorDeclSyntax = """
            set {
                \(raw: property.setter("_setModelValue(newValue, _modelBacking.uncounted, \(arguments))"))
            }
            """
        return [
            """
            @storageRestrictions(accesses: _modelBacking, initializes: _$\(raw: property.plainName))
            init(initialValue) {
                _modelBacking._setInitialValue(initialValue, forKey: "\(raw: property.plainName)")
                _$\(raw: property.plainName) = SwiftData._NoValue()
            }
            """,
            """
            get {
                _modelValue(_modelBacking.uncounted, \(raw: arguments))
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
