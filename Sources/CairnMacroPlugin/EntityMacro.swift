import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@Entity` macro, which turns a class into an entity.
struct EntityMacro: MemberMacro, MemberAttributeMacro {
    // MARK: Accessors of each property

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let entity = declaration.as(ClassDeclSyntax.self), entity.inheritanceClause != nil,
            let property = EntityProperty(member),
            property.declaration.bindingSpecifier.text == "var",
            property.attribute("Managed") == nil, property.attribute("FetchedProperty") == nil
        else { return [] }
        return ["@EntityProperty"]
    }

    // MARK: Members

    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let entity = declaration.as(ClassDeclSyntax.self) else {
            context.diagnose(EntityMistake.noClass.diagnostic(at: declaration))
            return []
        }
        if entity.inheritanceClause == nil {
            context.diagnose(EntityMistake.noSuperclass.diagnostic(at: entity))
            return []
        }
        var properties: [EntityProperty] = []
        for member in entity.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored else {
                continue
            }
            let property = EntityProperty(variable)
            if let mistake = EntityMistake(in: variable)
                ?? property.flatMap(EntityMistake.init(inReference:))
            {
                context.diagnose(mistake.diagnostic(at: variable))
            } else if let property {
                properties.append(property)
            }
        }
        let access = entity.modifiers.access
        let settings = settings(of: entity, node, properties, in: context)
        return [
            """
            override \(raw: access)class var entitySettings: EntitySettings {
                EntitySettings(of: \(raw: entity.name.text).self\(raw: settings))
            }
            """,
            // Derived attributes and fetched properties have no parameter, because they cannot be set.
            initializer(
                of: entity.name.text,
                properties.filter {
                    $0.attribute("Derived") == nil && $0.attribute("FetchedProperty") == nil
                }, access),
        ]
    }

    /// Returns an initializer with a parameter for each property.
    private static func initializer(
        of entity: String, _ properties: [EntityProperty], _ access: String
    ) -> DeclSyntax {
        let access = properties.areAllSeen ? access : ""
        let parameters = properties.map { property in
            // A new object evaluates such a value itself, so that it is evaluated once.
            if property.isGivenByObject { return ", \(property.name): \(property.type)? = nil" }
            let value =
                property.initialValue.map { " = \($0.naming(entity))" }
                ?? (property.isOptional ? " = nil" : property.isToMany ? " = []" : "")
            return ", \(property.name): \(property.type)\(value)"
        }.joined()
        let given = properties.filter(\.isGivenByCaller)
        let assignments = properties.filter { !$0.isGivenByCaller }.map { property in
            // A new object already has nil and empty relationships, so these values need no assignment.
            let assignment = "self.\(property.name) = \(property.name)"
            if property.isToMany { return "if !\(property.name).isEmpty { \(assignment) }" }
            return property.isGivenByObject || property.isOptional && property.initialValue == nil
                ? "if let \(property.name) { \(assignment) }" : assignment
        }
        let values = given.map { "\"\($0.plainName)\": \($0.name)" }.joined(separator: ", ")
        let call =
            given.isEmpty
            ? "try self.init(context: context)"
            : "try self.init(context: context, _initialValues: [\(values)])"
        return """
            \(raw: access)convenience init(
                context: ManagedObjectContext\(raw: parameters)
            ) throws(GraphError) {
                \(raw: ([call] + assignments).joined(separator: "\n    "))
            }
            """
    }

    // MARK: Settings

    private static func settings(
        of entity: ClassDeclSyntax, _ node: AttributeSyntax, _ properties: [EntityProperty],
        in context: some MacroExpansionContext
    ) -> String {
        var settings: [String] = []
        func add(_ call: String, _ arguments: [String], _ syntax: some SyntaxProtocol) {
            var arguments = arguments
            if let location = context.location(of: syntax) {
                arguments += ["file: \(location.file)", "line: \(location.line)"]
            }
            settings.append(",\n        .\(call)(\(arguments.joined(separator: ", ")))")
        }
        if case .argumentList(let arguments)? = node.arguments, !arguments.isEmpty {
            add("entity", arguments.map(\.written), entity)
        }
        for property in properties {
            let name = "\"\(property.plainName)\""
            if property.attribute("FetchedProperty") != nil {
                let arguments = property.arguments(of: "FetchedProperty").map(\.written)
                guard let element = property.element, let format = arguments.first else { continue }
                let all = [name, "of: \(element).self", "where: \(format)"] + arguments.dropFirst()
                add("fetchedProperty", all, property.declaration)
            } else if property.attribute("Relationship") != nil {
                let arguments = property.arguments(of: "Relationship").map(\.asInverse)
                add("relationship", [name] + arguments, property.declaration)
            } else if property.attribute("Reference") != nil {
                let arguments = property.arguments(of: "Reference").flatMap(\.asKey)
                add("reference", [name] + arguments, property.declaration)
            } else if let arguments = attributeArguments(property) {
                add("attribute", [name] + arguments, property.declaration)
            }
            if property.attribute("Unique") != nil { add("unique", [name], property.declaration) }
            if property.attribute("Index") != nil { add("index", [name], property.declaration) }
        }
        for member in entity.memberBlock.members {
            guard let macro = member.decl.as(MacroExpansionDeclSyntax.self),
                let list = PropertyList(macro)
            else { continue }
            for names in list.lists ?? [] {
                add(list.purpose.rawValue.lowercased(), names.map { "\"\($0)\"" }, macro)
            }
        }
        if let location = context.location(of: entity) {
            settings.append(",\n        file: \(location.file), line: \(location.line)")
        }
        return settings.joined()
    }

    /// Returns the arguments of an attribute's setting. Returns `nil` if the type expresses everything.
    private static func attributeArguments(_ property: EntityProperty) -> [String]? {
        let written = property.arguments(of: "Attribute")
        var options = written.filter { $0.label == nil }.map(\.written)
        if property.attribute("Transient") != nil { options.append(".transient") }
        if let expression = property.arguments(of: "Derived").first {
            options.append(".derived(\(expression.expression.trimmed))")
        }
        let defaultValue = property.defaultValue.map {
            ["default: \($0) as \(property.wrappedType)"]
        }
        let initialValue = property.computedInitialValue.map {
            ["initial: { () -> \(property.type) in return \($0) }"]
        }
        let values = (defaultValue ?? []) + (initialValue ?? [])
        let arguments = options + values + property.labelledArguments
        return arguments.isEmpty ? nil : arguments
    }
}

extension EntityProperty {
    /// Whether the initializer's parameter may be left out, so that the object evaluates its initial value.
    fileprivate var isGivenByObject: Bool { computedInitialValue != nil && !isOptional }

    /// Whether the initializer's parameter has the initial value as its default. `nil` is a value of the
    /// property, so it cannot stand for a parameter that was left out.
    fileprivate var isGivenByCaller: Bool { computedInitialValue != nil && isOptional }
}

extension LabeledExprSyntax {
    /// The argument as source text. An inverse is written together with its name.
    fileprivate var asInverse: String {
        if label?.text == "hasInverse" {
            return expression.trimmedDescription == "false"
                ? "inverse: .none" : "inverse: .inferred"
        }
        guard label?.text == "inverse", let name = expression.lastName else { return written }
        return "inverse: .named(\"\(name)\", \(expression.trimmed))"
    }

    /// The argument of `@Reference` as arguments of its setting. A key is written together with its name.
    fileprivate var asKey: [String] {
        guard label == nil, let name = expression.lastName else { return [written] }
        return ["by: \"\(name)\"", "\(expression.trimmed)"]
    }
}

extension ExprSyntax {
    /// The name of the property at the end of a key path. `nil` if the expression is not a key path.
    fileprivate var lastName: String? {
        self.as(KeyPathExprSyntax.self)?.components.last?.component
            .as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text
    }
}
