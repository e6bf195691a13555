import Tintype
