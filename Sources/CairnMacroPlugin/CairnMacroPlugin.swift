import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros, as the compiler asks for them.
@main struct CairnMacroPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CompositeMacro.self, EntityMacro.self, EntityPropertyMacro.self, MarkerMacro.self,
        PropertyListMacro.self,
    ]
}
