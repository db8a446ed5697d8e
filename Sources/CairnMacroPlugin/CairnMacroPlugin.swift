import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros, as the compiler asks for them.
@main struct CairnMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, EntityPropertyMacro.self, MarkerMacro.self, PropertyListMacro.self,
    ]
}
