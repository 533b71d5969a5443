int rb2_placeholder;
