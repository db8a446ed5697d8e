import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The `@Composite` macro, which turns a structure into the type of composite attributes.
struct CompositeMacro: ExtensionMacro, MemberMacro {
    // MARK: Conformance

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(EntityMistake.noStructure.diagnostic(at: declaration))
            return []
        }
        let properties = properties(of: structure) { context.diagnose($0) }
        let access = structure.modifiers.access
        var members: [String] = []
        if case .argumentList(let arguments)? = node.arguments, let name = arguments.first {
            members.append(
                "\(access)static var compositeName: String { \(name.expression.trimmed) }")
        }
        members.append(elements(properties, type, access))
        if let initializer = initializer(of: structure, properties, access) {
            members.append(initializer)
        }
        let text: DeclSyntax = """
            extension \(type.trimmed): CompositeAttribute {
            \(raw: members.joined(separator: "\n\n"))
            }
            """
        return text.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }

    private static func properties(
        of structure: StructDeclSyntax, reporting report: (Diagnostic) -> Void = { _ in }
    ) -> [EntityProperty] {
        structure.memberBlock.members.compactMap { member -> EntityProperty? in
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored else {
                return nil
            }
            if let mistake = EntityMistake(in: variable, isElement: true) {
                report(mistake.diagnostic(at: variable))
                return nil
            }
            return EntityProperty(variable)
        }
    }

    private static func elements(
        _ properties: [EntityProperty], _ type: some TypeSyntaxProtocol, _ access: String
    ) -> String {
        let elements = properties.map { property in
            var arguments = ["\"\(property.plainName)\"", "\\.\(property.name)"]
            let written = property.arguments(of: "Attribute")
            arguments += written.filter { $0.label == nil }.map(\.written)
            if let value = property.defaultValue {
                arguments.append("default: \(value) as \(property.wrappedType)")
            }
            arguments += property.labelledArguments
            return "    CompositeElement(\(arguments.joined(separator: ", "))),\n"
        }
        return
            "\(access)static let elements: [CompositeElement<\(type.trimmed)>] = [\n\(elements.joined())]"
    }

    /// Returns an initializer without parameters. Returns `nil` if the structure already has one.
    private static func initializer(
        of structure: StructDeclSyntax, _ properties: [EntityProperty], _ access: String
    ) -> String? {
        let own = structure.initializers
        let isWritten = own.contains { $0.signature.parameterClause.parameters.isEmpty }
        let open = properties.filter(\.needsValue)
        // This initializer goes into an extension, where it does not suppress the memberwise initializer.
        if isWritten || own.isEmpty && (open.isEmpty || !access.isEmpty) { return nil }
        return blankInitializer(open, access)
    }

    private static func blankInitializer(_ open: [EntityProperty], _ access: String) -> String {
        let assignments = open.map { property in
            let value = property.isOptional ? "nil" : "\(property.type).valueOfNil"
            return "\n    self.\(property.name) = \(value)"
        }.joined()
        return "\(access)init() {\(assignments)\n}"
    }

    // MARK: Members

    /// Returns the initializers of a structure that other modules use, because Swift synthesizes internal
    /// initializers.
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let structure = declaration.as(StructDeclSyntax.self),
            structure.initializers.isEmpty
        else { return [] }
        let access = structure.modifiers.access
        let properties = properties(of: structure)
        if access.isEmpty || properties.isEmpty { return [] }
        let parameters = properties.map { property in
            let value =
                property.initialValue.map { " = \($0)" } ?? (property.isOptional ? " = nil" : "")
            return "\(property.name): \(property.type)\(value)"
        }.joined(separator: ", ")
        let assignments = properties.map { "\n    self.\($0.name) = \($0.name)" }.joined()
        let widest = properties.areAllSeen ? access : ""
        return [
            DeclSyntax("\(raw: blankInitializer(properties.filter(\.needsValue), access))"),
            DeclSyntax("\(raw: widest)init(\(raw: parameters)) {\(raw: assignments)\n}"),
        ]
    }
}

extension EntityProperty {
    /// Whether an initializer must set the property.
    fileprivate var needsValue: Bool { !hasInitialValue && !type.hasSuffix("?") }
}

extension StructDeclSyntax {
    fileprivate var initializers: [InitializerDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
    }
}

extension DeclModifierListSyntax {
    /// The access modifier of a generated member, followed by a space. Empty if no modifier is needed.
    var access: String {
        lazy.map(\.name.text).first { ["public", "open", "package"].contains($0) }
            .map { $0 == "open" ? "public " : "\($0) " } ?? ""
    }
}
